// How far planners that search for no optimum may be from it: a lower bound on the bottleneck.
#pragma once

#include <cstdint>
#include <list>

#include "core/planners/candidates.h"
#include "core/planners/search_input.h"

namespace pipegraph {

class BottleneckBound {
 public:
  /// `workload` must outlive this.
  explicit BottleneckBound(const Workload& workload);
  BottleneckBound(const BottleneckBound&) = delete;
  BottleneckBound& operator=(const BottleneckBound&) = delete;

  /// Seconds per sample that the slowest stage of any plan of such micro-batches computes at least,
  /// operators taking what the fastest kind of device does: all work at the best share over all
  /// devices, or the largest operator. Transfers and memory are left out.
  double at(std::int32_t micro_batch);

  /// The proposal, whose objective is a time per sample, with this bound and the gap to it: exact
  /// where there is none.
  Proposal judge(Proposal proposal, std::int32_t micro_batch);

 private:
  struct Kind {
    SearchInput input;
    ShareTimes times;
    Kind(const Workload& workload, SearchInput common, const ComputeRate& rate);
  };
  std::list<Kind>
      kinds_;  ///< of devices; stay in place, since times refer to the input beside them
};

}  // namespace pipegraph
