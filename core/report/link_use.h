// How busy each link of the cluster was.
#pragma once

#include <vector>

#include "core/cluster/topology.h"
#include "core/program/program.h"
#include "core/run/collective_schedules.h"

namespace pipegraph {

struct LinkUse {
  LinkId link;
  double bytes = 0.0;        ///< fractions: chunks of a ring are n / d
  double utilisation = 0.0;  ///< bytes / (bandwidth x makespan); 0 on a link without limit
};

/// Links that carried something, ascending.
std::vector<LinkUse> link_use(const Program& program, const Topology& topology, Seconds makespan,
                              const CollectiveOptions& collectives = {});

/// Whether no message and no reduction between devices exists, so that nothing of the cluster's
/// network can matter.
bool moves_nothing(const Program& program);

}  // namespace pipegraph
