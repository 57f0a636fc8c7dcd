#include "exec/transport/device_ranks.h"

namespace pipegraph {

std::vector<std::int32_t> ranks_of_devices(std::size_t devices, std::int32_t ranks) {
  std::vector<std::int32_t> rank(devices);
  for (std::size_t i = 0; i < devices; ++i)
    rank[i] = static_cast<std::int32_t>(i * static_cast<std::size_t>(ranks) / devices);
  return rank;
}

std::vector<DeviceId> devices_of_rank(const std::vector<std::int32_t>& rank_of_device,
                                      std::int32_t rank) {
  std::vector<DeviceId> devices;
  for (std::size_t i = 0; i < rank_of_device.size(); ++i)
    if (rank_of_device[i] == rank) devices.push_back(make_id<DeviceId>(i));
  return devices;
}

}  // namespace pipegraph
