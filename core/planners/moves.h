// Small changes of a layout: the neighbours among which local search looks for a shorter iteration.
#pragma once

#include <cstdint>
#include <vector>

#include "core/planners/layout.h"

namespace pipegraph {

struct MoveOptions {
  std::size_t devices = 1;                  ///< of the cluster
  std::vector<std::int32_t> micro_batches;  ///< allowed sizes, ascending
  bool extra_in_flight = true;              ///< the schedule knows it
  bool k = false;                           ///< the schedule knows more than one
  bool other_kind = true;                   ///< a graph may become a chain and the reverse
};

/// Valid layouts (acyclic, no micro-batch below its replicas) one move away: an operator across a
/// stage border, two neighbours merged, a stage split, a device from one stage to another or from
/// the unused, a stage's or all micro-batch sizes, more in flight, twice or half as large a k, the
/// kind.
std::vector<Layout> neighbours(const ComputationGraph& graph, const Layout& layout,
                               const MoveOptions& options);

}  // namespace pipegraph
