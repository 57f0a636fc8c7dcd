// Which process each device belongs to.
#pragma once

#include <cstdint>
#include <vector>

#include "core/base/ids.h"

namespace pipegraph {

/// The rank of each device: floor(i R / N).
std::vector<std::int32_t> ranks_of_devices(std::size_t devices, std::int32_t ranks);
/// The devices of one rank, ascending.
std::vector<DeviceId> devices_of_rank(const std::vector<std::int32_t>& rank_of_device,
                                      std::int32_t rank);

}  // namespace pipegraph
