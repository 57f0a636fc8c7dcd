#include "core/planners/balanced.h"

#include <algorithm>

#include "core/planners/block_partition.h"
#include "core/planners/bottleneck_bound.h"
#include "core/planners/chain_stages.h"
#include "core/planners/fork_join.h"
#include "core/planners/linearise.h"
#include "core/planners/more_devices.h"
#include "core/planners/operator_times.h"
#include "core/planners/share_devices.h"

namespace pipegraph {
namespace {

using Times = std::span<const double>;

OperatorBlocks balanced_chain(std::span<const OperatorId> chain, Times times, std::size_t blocks) {
  std::vector<double> weights;
  for (const OperatorId op : chain) weights.push_back(times[op.index()]);
  return cut_chain(chain, block_partition(weights, blocks));
}

/// Each branch cut over its share of the devices.
std::vector<OperatorBlocks> cut_branches(const ForkJoin& parts, Times times, std::size_t devices) {
  std::vector<Branch> branches;
  for (const auto& branch : parts.branches)
    branches.push_back({sum_over(branch, times), branch.size()});
  const std::vector<std::size_t> shares = share_devices(branches, devices);
  std::vector<OperatorBlocks> result;
  for (std::size_t i = 0; i < shares.size(); ++i)
    result.push_back(balanced_chain(parts.branches[i], times, shares[i]));
  return result;
}

/// One stage for each group of branches.
std::vector<OperatorBlocks> group_branches(const ForkJoin& parts, Times times,
                                           std::size_t devices) {
  std::vector<double> work;
  for (const auto& branch : parts.branches) work.push_back(sum_over(branch, times));
  const std::vector<std::size_t> group = group_longest_first(work, devices);
  std::vector<OperatorBlocks> result(devices, OperatorBlocks(1));
  for (std::size_t i = 0; i < group.size(); ++i) {
    std::vector<OperatorId>& block = result[group[i]].front();
    block.insert(block.end(), parts.branches[i].begin(), parts.branches[i].end());
  }
  return result;
}

/// The branch for which `block_of` gives the lightest block, the first of equals, but not
/// `forbidden`.
template <class BlockOf>
std::size_t lightest(const std::vector<OperatorBlocks>& branches, Times times,
                     std::size_t forbidden, const BlockOf& block_of) {
  std::size_t best = branches.size();
  for (std::size_t i = 0; i < branches.size(); ++i) {
    if (i == forbidden) continue;
    if (best == branches.size() ||
        sum_over(block_of(branches[i]), times) < sum_over(block_of(branches[best]), times))
      best = i;
  }
  return best;
}

/// A stage with both the stem and the join would enclose the other branches: not convex.
void attach_ends(const ForkJoin& parts, Times times, std::vector<OperatorBlocks>& branches) {
  const std::size_t none = branches.size();
  std::size_t enclosing = none;
  if (!parts.join.empty()) {
    const std::size_t i =
        lightest(branches, times, none, [](const OperatorBlocks& b) { return b.back(); });
    branches[i].back().insert(branches[i].back().end(), parts.join.begin(), parts.join.end());
    if (branches[i].size() == 1 && branches.size() > 1) enclosing = i;
  }
  if (!parts.stem.empty()) {
    const std::size_t i =
        lightest(branches, times, enclosing, [](const OperatorBlocks& b) { return b.front(); });
    branches[i].front().insert(branches[i].front().begin(), parts.stem.begin(), parts.stem.end());
  }
}

OperatorBlocks balanced_fork_join(const ForkJoin& parts, Times times, std::size_t devices) {
  std::vector<OperatorBlocks> branches = devices < parts.branches.size()
                                             ? group_branches(parts, times, devices)
                                             : cut_branches(parts, times, devices);
  attach_ends(parts, times, branches);
  OperatorBlocks blocks;
  for (OperatorBlocks& branch : branches)
    for (std::vector<OperatorId>& block : branch) blocks.push_back(std::move(block));
  return blocks;
}

Proposal propose(const Workload& workload, PlanKind kind, std::size_t stages_per_device,
                 std::int32_t micro_batch) {
  const std::vector<double> times = operator_times(workload, micro_batch);
  const std::size_t devices = workload.topology->size();
  std::vector<std::string> notes;
  if (kind == PlanKind::Graph) {
    const auto found = outermost_fork_join(*workload.graph, times);
    if (const auto* parts = std::get_if<ForkJoin>(&found)) {
      Proposal proposal =
          one_device_each(balanced_fork_join(*parts, times, devices), times, micro_batch, devices);
      proposal.search.family = "branches by their shares of the work";
      return proposal;
    }
    notes.push_back(std::get<NoForkJoin>(found).reason + "; cut as a chain");
  }
  const std::vector<OperatorId> chain = linearise(*workload.graph);
  const Dealing dealing = deal_out(chain.size(), devices, stages_per_device);
  Proposal proposal = one_device_each(balanced_chain(chain, times, dealing.stages()), times,
                                      micro_batch, dealing.places);
  proposal.search.family = "block partitions, branch by branch";
  if (auto note = dealing.note(chain.size(), stages_per_device)) notes.push_back(*note);
  proposal.search.notes = std::move(notes);
  return proposal;
}

void check_kind(const PlannerOptions& options, std::size_t stages_per_device) {
  if (stages_per_device > 1 && options.kind == PlanKind::Graph)
    throw ConfigError({.key = "stages_per_device"}, "branches do not take turns on a device",
                      "kind: sequential, or no stages_per_device");
}

PlannerResult plan_balanced(const Workload& workload, const PlannerOptions& options,
                            std::size_t stages_per_device) {
  check_kind(options, stages_per_device);
  BottleneckBound bound(workload);
  const auto proposed = [&](const Workload& on, std::int32_t micro_batch) {
    return propose(on, options.kind, stages_per_device, micro_batch);
  };
  const auto judged = [&](std::int32_t micro_batch, const LeftFree&) {
    return bound.judge(proposed(workload, micro_batch), micro_batch);
  };
  const auto on_others = [&](const Workload& other, std::int32_t micro_batch) {
    return proposed(other, micro_batch).stages;
  };
  return with_fewest_devices(best_proposal(workload, options, "balanced", judged), workload,
                             options, {on_others});
}

}  // namespace

PlannerResult plan_balanced(const Workload& workload, const PlannerOptions& options) {
  return plan_balanced(workload, options, 1);
}

Planner configure_balanced(MapReader& map) {
  const std::size_t stages_per_device = read_stages_per_device(map);
  return {Planner(
              [=](const Workload& workload, const PlannerOptions& options) {
                return plan_balanced(workload, options, stages_per_device);
              },
              [=](const Workload&, const PlannerOptions& options) {
                check_kind(options, stages_per_device);
              }),
          stages_per_device};
}

}  // namespace pipegraph
