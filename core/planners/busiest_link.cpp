#include "core/planners/busiest_link.h"

#include <algorithm>

namespace pipegraph {

BusiestLink::BusiestLink(const Workload& workload)
    : workload_(workload), routes_(*workload.topology) {
  for (const Link& link : workload.topology->links())
    per_byte_.push_back(1.0 / link.bandwidth.value);
}

double BusiestLink::seconds(const StageGraph& stages) {
  std::vector<double> busy(per_byte_.size(), 0.0);
  double most = 0.0;
  for (const PlaceFlow& flow : traffic(workload_, stages))
    for (const LinkId link : routes_.between(DeviceId{flow.from}, DeviceId{flow.to}).route.links) {
      busy[link.index()] += flow.bytes * per_byte_[link.index()];
      most = std::max(most, busy[link.index()]);
    }
  return most;
}

}  // namespace pipegraph
