// What the planners' benchmarks have in common: networks on V100s of Summit, four a node, and the
// search of `graphpipe` on its own.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>

#include "core/stage/workload.h"

namespace pipegraph::bench {

struct OnSummit {
  int devices = 8;
  int samples_per_device = 16;  ///< of the mini-batch
};
Workload on_summit(const ComputationGraph& graph, const OnSummit& setting);

struct GraphpipeRun {
  double least_s = 0.0;  ///< max_time_per_sample over all micro-batch sizes; infinite: none fits
  std::size_t ideals = 0;
};
/// The search of `graphpipe` with its options at their defaults, over all micro-batch sizes;
/// nothing is placed or evaluated.
GraphpipeRun search_all_sizes(const Workload& workload);

}  // namespace pipegraph::bench
