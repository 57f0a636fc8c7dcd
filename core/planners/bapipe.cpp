#include "core/planners/bapipe.h"

#include <fmt/format.h>

#include <algorithm>
#include <limits>
#include <optional>
#include <string_view>
#include <vector>

#include "core/planners/bottleneck_bound.h"
#include "core/planners/candidates.h"
#include "core/planners/chain_stages.h"
#include "core/planners/layout_time.h"
#include "core/planners/linearise.h"
#include "core/planners/more_devices.h"
#include "core/planners/passes.h"
#include "core/planners/search_input.h"
#include "core/schedule/table.h"

namespace pipegraph {
namespace {

constexpr double k_infinite = std::numeric_limits<double>::infinity();

/// The time of a cut grows with devices x operators squared.
constexpr std::size_t k_most_devices_tried = 128;

/// Costs of blocks of the linearised graph on the cluster's own devices.
class ChainTimes {
 public:
  ChainTimes(const Workload& workload, std::int32_t micro_batch)
      : input_(search_input(workload)), chain_(linearise(*workload.graph)) {
    for (const Device& device : workload.topology->devices()) {
      const ComputeRate rate = compute_rate(device, workload.training.precision);
      const auto same = std::ranges::find(rates_, rate);
      kind_.push_back(static_cast<std::size_t>(same - rates_.begin()));
      if (same == rates_.end()) rates_.push_back(rate);
    }
    for (const ComputeRate& rate : rates_) {
      std::vector<double>& sums = sums_.emplace_back(1, 0.0);
      for (const OperatorId op : chain_)
        sums.push_back(sums.back() + (workload.costs->time(op, Pass::Forward, micro_batch, rate) +
                                      workload.costs->time(op, Pass::Backward, micro_batch, rate))
                                         .count());
    }
    find_cuts(micro_batch);
  }

  const std::vector<OperatorId>& chain() const { return chain_; }

  double compute(std::size_t device, std::size_t begin, std::size_t end) const {
    const std::vector<double>& sums = sums_[kind_[device]];
    return sums[end] - sums[begin];
  }
  /// The longer of compute and of the transfers at both ends.
  double block(std::size_t device, std::size_t begin, std::size_t end) const {
    return std::max({compute(device, begin, end), cuts_[begin], cuts_[end]});
  }

 private:
  /// Seconds of one micro-batch's tensors across every cut, there and back.
  void find_cuts(std::int32_t micro_batch) {
    std::vector<std::size_t> position(chain_.size());
    for (std::size_t i = 0; i < chain_.size(); ++i) position[chain_[i].index()] = i;
    cuts_.assign(chain_.size() + 1, 0.0);
    for (const SearchTensor& tensor : input_.problem.tensors) {
      std::size_t last = 0;
      for (const Digraph::Node reader : tensor.consumers)
        last = std::max(last, position[static_cast<std::size_t>(reader)]);
      const double seconds =
          tensor.crossings *
          (input_.problem.latency + tensor.bytes * micro_batch / input_.problem.bandwidth);
      for (std::size_t cut = position[static_cast<std::size_t>(tensor.producer)] + 1; cut <= last;
           ++cut)
        cuts_[cut] += seconds;
    }
  }

  SearchInput input_;
  std::vector<OperatorId> chain_;
  std::vector<ComputeRate> rates_;
  std::vector<std::size_t> kind_;          ///< of every device
  std::vector<std::vector<double>> sums_;  ///< [kind][position]
  std::vector<double> cuts_;
};

Proposal propose(const Workload& workload, std::int32_t micro_batch) {
  const ChainTimes times(workload, micro_batch);
  const UnequalPartition partition = unequal_partition(
      times.chain().size(), workload.topology->size(),
      [&](std::size_t device, std::size_t begin, std::size_t end) {
        return times.block(device, begin, end);
      },
      [&](std::size_t device, std::size_t begin, std::size_t end) {
        return times.compute(device, begin, end);
      });
  Proposal proposal;
  const OperatorBlocks blocks = cut_chain(times.chain(), partition.ends);
  for (std::size_t i = 0; i < blocks.size(); ++i) {
    Stage& stage = proposal.stages.emplace_back();
    stage.name = fmt::format("s{}", i);
    stage.operators = blocks[i];
    std::ranges::sort(stage.operators);
    stage.devices = {make_id<DeviceId>(i)};
    stage.micro_batch = micro_batch;
  }
  proposal.objective = {"max_stage_time_per_sample_s", partition.largest / micro_batch};
  proposal.search.family = "prefixes, branch by branch";
  proposal.search.states = times.chain().size() + 1;
  return proposal;
}

/// Whether the schedule fixes the samples in flight: `extra_in_flight` is an error there.
bool knows_no_more(std::string_view schedule) {
  const ScheduleEntry* entry = find_schedule(schedule);
  return entry != nullptr && entry->in_flight == InFlight::Fixed;
}

/// What is explored beside the partition.
struct Exploration {
  std::string schedule;
  std::int32_t micro_batches_more = 0;  ///< in flight, to overlap transfers
};

const std::vector<Exploration> k_explorations{{"1f1b", 0}, {"1f1b", 1}, {"gpipe", 0}};

/// Of one schedule; with more in flight where it knows that.
std::vector<Exploration> explorations_of(const std::string& schedule) {
  if (knows_no_more(schedule)) return {{schedule, 0}};
  return {{schedule, 0}, {schedule, 1}};
}

/// A partition with a schedule, and what its iterations take at least.
struct Explored {
  double bound = 0.0;
  std::int32_t size = 0;
  Proposal proposal;
  PlannerOptions options;
};

PlannerOptions explored_options(const PlannerOptions& options, const Exploration& exploration,
                                std::int32_t size) {
  PlannerOptions tried = options;
  tried.micro_batches = {size};
  tried.schedule = exploration.schedule;
  const bool more = !knows_no_more(exploration.schedule);
  if (more) tried.extra_in_flight += std::int64_t{exploration.micro_batches_more} * size;
  if (!more && exploration.schedule != options.schedule) tried.extra_in_flight = 0;
  return tried;
}

/// Those first that may be fastest. Objectives are compared as they are, without a bound.
std::vector<Explored> explore(const Workload& workload, const PlannerOptions& options,
                              const std::vector<Exploration>& explorations) {
  const SearchInput input = search_input(workload);
  BottleneckBound bottleneck(workload);
  std::vector<Explored> all;
  for (const std::int32_t size : micro_batch_candidates(options, workload.training.mini_batch)) {
    const Proposal proposal = bottleneck.judge(propose(workload, size), size);
    const double bound = compute_bound(workload, proposal);
    const double passes = count_passes(proposal.stages, workload.training.mini_batch);
    const bool endless = too_many_passes(passes).has_value();  // refused where it is evaluated
    for (const Exploration& exploration : explorations) {
      const PlannerOptions tried = explored_options(options, exploration, size);
      Explored& added = all.emplace_back(Explored{0.0, size, proposal, tried});
      if (options.choose == Choose::Objective || endless) continue;
      added.bound = bound;
      const Plan plan = to_plan(workload, tried, proposal);
      const auto figures = LayoutTimes(workload, tried, input)
                               .figures({plan.kind, plan.extra_in_flight, plan.stages});
      if (figures && !figures->too_large) added.bound = figures->seconds;
    }
  }
  std::ranges::stable_sort(all, {}, &Explored::bound);
  return all;
}

PlannerResult best_of(const Workload& workload, const PlannerOptions& options,
                      const std::vector<Exploration>& explorations) {
  std::optional<Plan> best;
  double best_merit = k_infinite;
  std::int32_t best_size = 0;
  Infeasible why_not;  // at the smallest size
  std::int32_t least_refused = std::numeric_limits<std::int32_t>::max();
  for (const Explored& explored : explore(workload, options, explorations)) {
    if (explored.bound > best_merit) break;
    auto result =
        best_rated_proposal(workload, explored.options, "bapipe",
                            [&](std::int32_t, const LeftFree&) { return explored.proposal; });
    if (auto* no = std::get_if<Infeasible>(&result)) {
      if (explored.size < least_refused) why_not = std::move(*no);
      least_refused = std::min(least_refused, explored.size);
      continue;
    }
    auto& [plan, seconds] = std::get<RatedPlan>(result);
    const double merit = options.choose == Choose::Objective ? plan.objective->value : seconds;
    if (merit > best_merit || (merit == best_merit && explored.size >= best_size)) continue;
    best_merit = merit;
    best_size = explored.size;
    best = std::move(plan);
  }
  if (best) return std::move(*best);
  PlannerOptions leanest = options;  // more in flight fits nowhere that this does not
  leanest.schedule = explorations.front().schedule;
  const auto on_others = [](const Workload& other, std::int32_t micro_batch) {
    return propose(other, micro_batch).stages;
  };
  return with_fewest_devices(why_not, workload, leanest, {on_others, k_most_devices_tried});
}

}  // namespace

UnequalPartition unequal_partition(std::size_t length, std::size_t devices, const BlockCost& cost,
                                   const BlockCost& at_least) {
  devices = std::min(devices, length);  // of at least one position each
  // [device][end]: least largest cost of positions up to `end` on the devices up to this.
  std::vector<std::vector<double>> least(devices, std::vector<double>(length + 1, k_infinite));
  std::vector<std::vector<std::size_t>> begin(devices, std::vector<std::size_t>(length + 1, 0));
  for (std::size_t end = 1; end <= length; ++end) least[0][end] = cost(0, 0, end);
  for (std::size_t device = 1; device < devices; ++device)
    for (std::size_t end = device + 1; end <= length; ++end)
      for (std::size_t from = end; from-- > device;) {
        if (at_least && at_least(device, from, end) > least[device][end]) break;
        const double value = std::max(least[device - 1][from], cost(device, from, end));
        if (value > least[device][end]) continue;
        least[device][end] = value;
        begin[device][end] = from;
      }
  std::size_t last = 0;
  for (std::size_t device = 1; device < devices; ++device)
    if (least[device][length] < least[last][length]) last = device;
  UnequalPartition partition{{}, least[last][length]};
  std::size_t end = length;
  for (std::size_t device = last + 1; device-- > 0;) {
    partition.ends.push_back(end);
    end = begin[device][end];
  }
  std::ranges::reverse(partition.ends);
  return partition;
}

PlannerResult plan_bapipe(const Workload& workload, const PlannerOptions& options) {
  return best_of(workload, options, k_explorations);
}

PlannerResult plan_bapipe_by_schedule(const Workload& workload, const PlannerOptions& options) {
  return best_of(workload, options, explorations_of(options.schedule));
}

Planner configure_bapipe(MapReader& options) {
  if (options.optional("schedule")) return plan_bapipe_by_schedule;
  return plan_bapipe;
}

}  // namespace pipegraph
