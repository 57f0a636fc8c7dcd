// Every pair of devices equally far apart: each device has one port out and one port in, and
// between the ports there is no limit (a perfect switch). The simplest cluster, and the one for
// closed forms.
#pragma once

#include "core/cluster/topology.h"

namespace pipegraph {

/// Devices "gpu0", "gpu1", ... in one node. Device d's up link is link 2 d, its down link 2 d + 1,
/// each of `bandwidth` and half of `latency`, so that every route has `latency`. No latency and
/// infinite bandwidth make the ideal network. `device` is copied for each (its name and place are
/// replaced). `devices` must be positive.
Topology uniform_cluster(int devices, Seconds latency, BytesPerSecond bandwidth,
                         const Device& device = {});

}  // namespace pipegraph
