// A stage graph in the making, before it is placed: what the search for the least iteration time
// compares and changes.
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <vector>

#include "core/planners/search_input.h"
#include "core/stage/stage_graph.h"
#include "core/stage/workload.h"

namespace pipegraph {

struct Layout {
  PlanKind kind = PlanKind::Graph;
  std::int64_t extra_in_flight = 0;  ///< samples
  std::vector<Stage> stages;         ///< in chain order if sequential; `devices` are places
};

/// Numbers the places 0, 1, ... in the order of the stages, keeping how many each has.
void number_places(Layout& layout);

std::size_t places(const Layout& layout);

/// Whether the stages (no operator missing) are acyclic, hence convex; of a chain: whether data
/// flows forwards only.
bool is_acyclic(const ComputationGraph& graph, const Layout& layout);

/// The stages in topological order; they must be acyclic.
void sort_stages(const ComputationGraph& graph, Layout& layout);

/// Equal for layouts that are the same plan.
std::string key_of(const Layout& layout);

/// A closed form of the iteration time: the longest path of one micro-batch with its messages,
/// (micro-batches - 1) x the slowest stage, the largest all-reduce. Off by up to a fifth: it sorts
/// candidates, it does not choose between them.
class LayoutEstimate {
 public:
  LayoutEstimate(const Workload& workload, const SearchInput& input)
      : workload_(workload), input_(input) {}

  double seconds(const Layout& layout);
  /// Forward and backward of one micro-batch on a replica.
  double stage_seconds(const Stage& stage);

 private:
  const std::vector<double>& times(std::int32_t share);

  const Workload& workload_;
  const SearchInput& input_;
  std::map<std::int32_t, std::vector<double>> times_;  ///< by share, then by operator
};

}  // namespace pipegraph
