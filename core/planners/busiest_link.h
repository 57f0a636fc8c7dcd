// How long placed stages keep the busiest link of a cluster busy in a mini-batch: no iteration is
// shorter where transfers share links, however well they are spread over it.
#pragma once

#include <vector>

#include "core/planners/traffic.h"
#include "core/run/route_costs.h"

namespace pipegraph {

class BusiestLink {
 public:
  /// `workload` must outlive this.
  explicit BusiestLink(const Workload& workload);

  /// Seconds, of a plan's stages on the devices they name; latencies are left out, and rings of
  /// all-reduces follow the order of the replicas.
  double seconds(const StageGraph& stages);

 private:
  const Workload& workload_;
  RouteCosts routes_;
  std::vector<double> per_byte_;  ///< by link: seconds
};

}  // namespace pipegraph
