#include "core/schedule/iteration_time.h"

#include <algorithm>
#include <array>
#include <map>

#include "core/schedule/replica_channels.h"

namespace pipegraph {
namespace {

constexpr double k_not_yet = -1.0;

enum Direction : std::uint8_t { Activations, Gradients };

bool yields_gradients(Pass pass) { return pass == Pass::Backward || pass == Pass::BackwardInput; }

/// All messages from one device to another, which are of one direction.
struct Channel {
  struct Message {
    std::int32_t batch = 0;  ///< of the sender
    double seconds = 0.0;
  };
  std::int32_t sender = 0;  ///< row
  Direction direction = Activations;
  std::vector<Message> messages;
  std::vector<double> arrivals;  ///< of the first messages, as far as known
};

struct Input {
  std::size_t channel = 0;
  std::vector<std::int32_t> last_needed;  ///< by the row's micro-batch; -1: none
};

/// One replica of a stage, and how far it has come.
struct Row {
  std::size_t stage = 0;
  std::int32_t replica = 0;
  std::size_t next = 0;                     ///< task of the stage's order
  double now = 0.0;                         ///< end of the last pass
  std::array<std::vector<double>, 2> ends;  ///< by direction and micro-batch
  std::array<std::vector<Input>, 2> inputs;
};

class Recurrence {
 public:
  Recurrence(const ComputationGraph& graph, const StageGraph& stages,
             const std::vector<StageSchedule>& orders, const IterationCosts& costs)
      : stages_(stages), orders_(orders), costs_(costs) {
    std::int32_t mini_batch = 0;
    for (const Task& task : orders.front().tasks)
      mini_batch = std::max(mini_batch, task.samples.last);
    for (std::size_t s = 0; s < stages.size(); ++s) add_stage(s, mini_batch);
    for (const StageEdge& edge : stages.transfers()) {
      connect(edge.from, edge.to, Activations, edge.bytes);
      Bytes back;
      bool returns = stages.kind() == PlanKind::Sequential && edge.to.value == edge.from.value + 1;
      for (const OperatorId tensor : edge.tensors)
        if (graph.at(tensor).output_needs_gradient) {
          back += graph.at(tensor).output;
          returns = true;
        }
      if (returns) connect(edge.to, edge.from, Gradients, back);
    }
  }

  std::optional<Seconds> run() {
    if (!run_passes()) return std::nullopt;
    return Seconds{end_of_optimizer()};
  }

 private:
  void add_stage(std::size_t s, std::int32_t mini_batch) {
    const Stage& stage = stages_.stages()[s];
    partitions_.emplace_back(mini_batch, stage.micro_batch, stage.replicas());
    const SharePartition& own = partitions_.back();
    first_row_.push_back(rows_.size());
    for (std::int32_t r = 0; r < own.replicas(); ++r) {
      Row& row = rows_.emplace_back();
      row.stage = s;
      row.replica = r;
      for (auto& ends : row.ends) ends.assign(static_cast<std::size_t>(own.count()), k_not_yet);
    }
    times_.resize(rows_.size());
    batches_.emplace_back();
    for (const Task& task : orders_[s].tasks)
      batches_.back().push_back(own.index_of(task.samples.first));
  }

  void connect(StageId from, StageId to, Direction direction, Bytes per_sample) {
    std::vector<std::int32_t> sent;
    const std::vector<Task>& tasks = orders_[from.index()].tasks;
    for (std::size_t t = 0; t < tasks.size(); ++t)
      if (direction == Activations ? tasks[t].pass == Pass::Forward
                                   : yields_gradients(tasks[t].pass))
        sent.push_back(batches_[from.index()][t]);
    for (ReplicaChannel& found :
         replica_channels(partitions_[from.index()], partitions_[to.index()], sent)) {
      Channel& channel = channels_.emplace_back();
      const std::size_t sender = first_row_[from.index()] + static_cast<std::size_t>(found.sender);
      const std::size_t reader = first_row_[to.index()] + static_cast<std::size_t>(found.reader);
      channel.sender = static_cast<std::int32_t>(sender);
      channel.direction = direction;
      add_messages(channel, reader, found.messages, per_sample);
      rows_[reader].inputs[direction].push_back(
          {channels_.size() - 1, std::move(found.last_needed)});
    }
  }

  void add_messages(Channel& channel, std::size_t reader,
                    const std::vector<ReplicaMessage>& messages, Bytes per_sample) const {
    channel.messages.reserve(messages.size());
    channel.arrivals.reserve(messages.size());
    std::int32_t samples = 0;
    double seconds = 0.0;
    for (const ReplicaMessage& message : messages) {
      if (message.samples != samples) {
        samples = message.samples;
        const Bytes bytes = per_sample * static_cast<std::uint64_t>(samples);
        seconds = costs_
                      .message(device(rows_[static_cast<std::size_t>(channel.sender)]),
                               device(rows_[reader]), bytes)
                      .count();
      }
      channel.messages.push_back({message.batch, seconds});
    }
  }

  DeviceId device(const Row& row) const {
    return stages_.stages()[row.stage].devices[static_cast<std::size_t>(row.replica)];
  }

  /// Replicas take turns, along the edges and back, each going as far as it can.
  bool run_passes() {
    const auto order = topological_order(stages_.edges());
    check(order.has_value(), "the stages are acyclic");
    std::vector<std::size_t> turns;
    for (const Digraph::Node stage : *order)
      for (std::int32_t r = 0; r < partitions_[static_cast<std::size_t>(stage)].replicas(); ++r)
        turns.push_back(first_row_[static_cast<std::size_t>(stage)] + static_cast<std::size_t>(r));
    for (bool moved = true; moved;) {
      moved = false;
      for (const std::size_t row : turns) moved |= advance(rows_[row]);
      std::ranges::reverse(turns);
    }
    return std::ranges::all_of(
        rows_, [&](const Row& row) { return row.next == orders_[row.stage].tasks.size(); });
  }

  bool advance(Row& row) {
    const std::vector<Task>& tasks = orders_[row.stage].tasks;
    const std::size_t before = row.next;
    for (; row.next < tasks.size(); ++row.next) {
      const Task& task = tasks[row.next];
      const std::int32_t batch = batches_[row.stage][row.next];
      const std::int32_t samples = partitions_[row.stage].share(batch, row.replica).samples();
      if (samples == 0) continue;
      double start = row.now;
      const Direction direction = task.pass == Pass::Forward ? Activations : Gradients;
      if (task.pass != Pass::BackwardWeight && !receive(row, direction, batch, start)) break;
      row.now = start + time_of(row, task.pass, samples);
      if (task.pass != Pass::BackwardWeight)
        row.ends[direction][static_cast<std::size_t>(batch)] = row.now;
    }
    return row.next > before;
  }

  /// Raises `start` to the arrival of what the micro-batch needs; false: it is not known yet.
  bool receive(const Row& row, Direction direction, std::int32_t batch, double& start) {
    for (const Input& input : row.inputs[direction]) {
      const std::int32_t needed = input.last_needed[static_cast<std::size_t>(batch)];
      if (needed < 0) continue;
      Channel& channel = channels_[input.channel];
      const auto& ends = rows_[static_cast<std::size_t>(channel.sender)].ends[channel.direction];
      while (channel.arrivals.size() <= static_cast<std::size_t>(needed)) {
        const Channel::Message& message = channel.messages[channel.arrivals.size()];
        const double sent = ends[static_cast<std::size_t>(message.batch)];
        if (sent == k_not_yet) return false;
        const double free = channel.arrivals.empty() ? 0.0 : channel.arrivals.back();
        channel.arrivals.push_back(std::max(sent, free) + message.seconds);
      }
      start = std::max(start, channel.arrivals[static_cast<std::size_t>(needed)]);
    }
    return true;
  }

  double time_of(const Row& row, Pass pass, std::int32_t samples) {
    auto& known = times_[static_cast<std::size_t>(&row - rows_.data())];
    for (const Known& entry : known)
      if (entry.samples == samples && entry.pass == pass) return entry.seconds;
    const double seconds =
        costs_.pass(make_id<StageId>(row.stage), row.replica, pass, samples).count();
    known.push_back({pass, samples, seconds});
    return seconds;
  }

  double end_of_optimizer() const {
    std::vector<double> ready(stages_.size(), 0.0);
    for (const Row& row : rows_) ready[row.stage] = std::max(ready[row.stage], row.now);
    const std::vector<double> passes_end = ready;
    std::vector<char> reduced(stages_.size(), 0);
    std::map<std::vector<StageId>, double> free;  // when sums of these stages have ended
    for (const IterationCosts::Reduction& reduction : costs_.reductions) {
      double& end = free[reduction.stages];
      for (const StageId stage : reduction.stages) end = std::max(end, passes_end[stage.index()]);
      end += reduction.time.count();
      for (const StageId stage : reduction.stages) {
        ready[stage.index()] = std::max(ready[stage.index()], end);
        reduced[stage.index()] = 1;
      }
    }
    double last = 0.0;
    for (const Row& row : rows_) {
      const double from = reduced[row.stage] != 0 ? ready[row.stage] : row.now;
      last =
          std::max(last, from + costs_.optimizer(make_id<StageId>(row.stage), row.replica).count());
    }
    return last;
  }

  struct Known {
    Pass pass = Pass::Forward;
    std::int32_t samples = 0;
    double seconds = 0.0;
  };
  const StageGraph& stages_;
  const std::vector<StageSchedule>& orders_;
  const IterationCosts& costs_;
  std::vector<SharePartition> partitions_;          ///< by stage
  std::vector<std::vector<std::int32_t>> batches_;  ///< by stage and task
  std::vector<std::size_t> first_row_;              ///< by stage
  std::vector<Row> rows_;                           ///< by stage, then replica
  std::vector<std::vector<Known>> times_;           ///< by row; few entries each
  std::vector<Channel> channels_;
};

}  // namespace

bool iteration_time_is_known(const StageGraph& stages) {
  std::size_t places = 0;
  for (const Stage& stage : stages.stages()) {
    if (stage.tensor_parallel != 1) return false;
    places += stage.devices.size();
  }
  return stages.acyclic() && stages.devices().size() == places;
}

std::optional<Seconds> iteration_time(const ComputationGraph& graph, const StageGraph& stages,
                                      const std::vector<StageSchedule>& orders,
                                      const IterationCosts& costs) {
  check(iteration_time_is_known(stages), "acyclic stages on devices of their own");
  check(orders.size() == stages.size() && !orders.empty(), "every stage has an order");
  return Recurrence(graph, stages, orders, costs).run();
}

}  // namespace pipegraph
