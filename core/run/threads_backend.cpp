#include "core/run/threads_backend.h"

#include <algorithm>
#include <deque>
#include <limits>
#include <optional>
#include <queue>
#include <vector>

#include "core/base/errors.h"
#include "core/run/rendezvous.h"
#include "core/run/route_costs.h"

namespace pipegraph {
namespace {

/// Something a thread does. `instruction` stands for the send of a transfer, and for the thread's
/// own member of a collective.
struct Work {
  InstructionId instruction;
  Seconds left{0};   ///< on a core of its own
  Seconds start{0};  ///< of a transfer or collective: when the last side was there
};

struct LaterCopy {
  bool operator()(const Work& a, const Work& b) const { return a.instruction > b.instruction; }
};

struct Thread {
  std::optional<Work> running;
  std::priority_queue<Work, std::vector<Work>, LaterCopy> copies;
  std::deque<Work> reductions;
  std::deque<Work> computes;

  /// The next thing to do, taken from its queue.
  std::optional<Work> take() {
    std::optional<Work> work;
    if (!copies.empty()) {
      work = copies.top();
      copies.pop();
    } else if (auto& queue = reductions.empty() ? computes : reductions; !queue.empty()) {
      work = queue.front();
      queue.pop_front();
    }
    return work;
  }
};

class ThreadsBackend : public Backend {
 public:
  ThreadsBackend(const Program& program, const Topology& topology, const ThreadsOptions& options)
      : program_(program),
        routes_(topology),
        rendezvous_(program),
        collectives_(program, topology, options.collectives),
        reducing_(rendezvous_.counterparts().collectives()),
        threads_(program.device_count()),
        busy_(options.cores > 0 ? static_cast<std::size_t>(options.cores)
                                : program.device_count()) {
    check(program.device_count() <= topology.size(), "the topology has the program's devices");
  }

  void start(InstructionId id) override {
    const Instruction& instruction = program_.at(id);
    if (is_compute(instruction.kind)) {
      thread_of(id).computes.push_back({id, instruction.duration});
    } else if (is_transfer(instruction.kind)) {
      if (const auto transfer = rendezvous_.post_transfer(id)) add_copy(*transfer);
    } else if (const auto members = rendezvous_.post_all_reduce(id); !members.empty()) {
      add_reduction(members);
    }
  }

  std::span<const Completion> wait() override {
    completions_.clear();
    // The end of one member's part of an all-reduce completes nothing yet.
    while (completions_.empty())
      if (!advance()) return {};
    return completions_;
  }

 private:
  /// To the next end of some work; whether there is any.
  bool advance() {
    employ_idle_threads();
    const Seconds step = time_to_next_end();
    if (step.count() == std::numeric_limits<double>::infinity()) return false;
    now_ += step;
    for (std::size_t i = 0; i < threads_.size(); ++i)
      if (threads_[i].running)
        threads_[i].running->left -= step / static_cast<double>(busy_on_core_of(i));
    for (const std::size_t thread : ended_) finish(thread);
    return true;
  }

  Thread& thread_of(InstructionId id) { return threads_[program_.at(id).device.index()]; }
  std::size_t core_of(InstructionId id) const {
    return program_.at(id).device.index() % busy_.size();
  }
  std::size_t& busy_on_core_of(std::size_t thread) { return busy_[thread % busy_.size()]; }

  void add_copy(const Transfer& transfer) {
    const Instruction& send = program_.at(transfer.send);
    const Seconds time = routes_.between(send.device, send.peer).time(send.bytes.as_double());
    thread_of(transfer.recv).copies.push({transfer.send, time, now_});
  }

  /// Each member receives, adds its part and passes it on. What was measured was so with cores
  /// shared as they are.
  void add_reduction(std::span<const InstructionId> members) {
    const Instruction& first = program_.at(members.front());
    const bool measured = first.duration > Seconds{0};
    const Seconds time = measured ? first.duration : collectives_.of(first).time;
    std::vector<std::size_t> on_core(busy_.size());
    for (const InstructionId member : members) ++on_core[core_of(member)];
    for (const InstructionId member : members)
      thread_of(member).reductions.push_back(
          {member, measured ? time / static_cast<double>(on_core[core_of(member)]) : time, now_});
    reducing_[rendezvous_.counterparts().collective(members.front())] = members.size();
  }

  void employ_idle_threads() {
    for (std::size_t i = 0; i < threads_.size(); ++i) {
      Thread& thread = threads_[i];
      if (thread.running) continue;
      thread.running = thread.take();
      if (!thread.running) continue;
      if (is_compute(program_.at(thread.running->instruction).kind)) thread.running->start = now_;
      ++busy_on_core_of(i);
    }
  }

  /// How long the work of a thread lasts while its core is shared as it is.
  Seconds time_left(std::size_t thread) {
    return threads_[thread].running->left * static_cast<double>(busy_on_core_of(thread));
  }

  /// Infinite if no thread is at work; `ended_` become those whose work ends then.
  Seconds time_to_next_end() {
    Seconds least{std::numeric_limits<double>::infinity()};
    for (std::size_t i = 0; i < threads_.size(); ++i)
      if (threads_[i].running) least = std::min(least, time_left(i));
    ended_.clear();
    for (std::size_t i = 0; i < threads_.size(); ++i)
      if (threads_[i].running && time_left(i) <= least) ended_.push_back(i);
    return least;
  }

  void finish(std::size_t thread) {
    report(*threads_[thread].running);
    threads_[thread].running.reset();
    --busy_on_core_of(thread);
  }

  void report(const Work& work) {
    const Counterparts& counterparts = rendezvous_.counterparts();
    const InstructionKind kind = program_.at(work.instruction).kind;
    if (kind == InstructionKind::AllReduce) {
      const std::size_t collective = counterparts.collective(work.instruction);
      if (--reducing_[collective] > 0) return;
      for (InstructionId member : counterparts.members(collective))
        completions_.push_back({member, work.start, now_});
      return;
    }
    completions_.push_back({work.instruction, work.start, now_});
    if (kind == InstructionKind::Send)
      completions_.push_back({counterparts.partner(work.instruction), work.start, now_});
  }

  const Program& program_;
  RouteCosts routes_;
  Rendezvous rendezvous_;
  CollectiveSchedules collectives_;
  std::vector<std::size_t> reducing_;  ///< by collective: members that are not done yet
  std::vector<Thread> threads_;        ///< by device
  std::vector<std::size_t> busy_;      ///< threads at work, by core
  std::vector<std::size_t> ended_;     ///< threads whose work ends next, ascending
  std::vector<Completion> completions_;
  Seconds now_{0};
};

}  // namespace

std::unique_ptr<Backend> make_threads_backend(const Program& program, const Topology& topology,
                                              const ThreadsOptions& options) {
  return std::make_unique<ThreadsBackend>(program, topology, options);
}

}  // namespace pipegraph
