// The clock of a device when there are no times.
#pragma once

#include <cstdint>

namespace pipegraph {

/// Moments of a device, counted along its compute lane: 2p is before its compute number p, 2p + 1
/// is while that runs, and 2n is after the last of n.
using Moment = std::int32_t;

}  // namespace pipegraph
