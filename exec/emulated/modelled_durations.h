// How long each instruction takes if nothing else uses its links: the analytic backend's figures.
#pragma once

#include <map>
#include <utility>

#include "core/cluster/topology.h"
#include "core/program/program.h"
#include "core/run/collective_schedules.h"
#include "core/run/route_costs.h"

namespace pipegraph {

/// Used by one thread; copies are cheap.
class ModelledDurations {
 public:
  /// `program` and `topology` must outlive it. Errors: those of CollectiveSchedules; InternalError
  /// if the program uses devices that the topology lacks.
  ModelledDurations(const Program& program, const Topology& topology,
                    const CollectiveOptions& collectives);

  Seconds of(InstructionId id);

 private:
  const Program& program_;
  RouteCosts routes_;
  std::map<std::pair<GroupId, Bytes>, Seconds> collectives_;
};

}  // namespace pipegraph
