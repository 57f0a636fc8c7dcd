// The small clusters that tests stand on.
#pragma once

#include "core/cluster/topology.h"

namespace pipegraph::test {

/// Devices between which messages take no time.
Topology ideal_cluster(int devices, const Device& device = {});

/// Devices whose messages take `latency` and share no link unless they share an end; infinite
/// bandwidth.
Topology delayed_cluster(int devices, Seconds latency, const Device& device = {});

/// One port in and one out per device.
Topology ported_cluster(int devices, Seconds latency, BytesPerSecond bandwidth,
                        const Device& device = {});

/// A device with round numbers: 1 TFLOP/s at every precision, 1 GB/s memory, 1 GB, no launch time.
Device round_device();

}  // namespace pipegraph::test
