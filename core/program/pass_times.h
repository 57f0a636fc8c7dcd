// Planned times of passes, each worked out once per stage, replica, pass and number of samples.
#pragma once

#include <vector>

#include "core/stage/stage_graph.h"
#include "core/stage/workload.h"

namespace pipegraph {

class PassTimes {
 public:
  /// Both must outlive this.
  PassTimes(const Workload& workload, const StageGraph& stages);
  Seconds time(StageId stage, std::int32_t replica, Pass pass, std::int32_t samples);

 private:
  struct Known {
    std::int32_t samples = 0;
    Seconds time{0};
  };
  const Workload& workload_;
  const StageGraph& stages_;
  std::vector<std::size_t> begin_;         ///< by stage
  std::vector<std::vector<Known>> known_;  ///< by stage, replica and pass; few entries each
};

}  // namespace pipegraph
