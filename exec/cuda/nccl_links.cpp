#include "exec/cuda/nccl_links.h"

#include <fmt/format.h>

#include <algorithm>
#include <set>
#include <utility>

#include "core/base/errors.h"

namespace pipegraph {

namespace {

/// Two of the devices that share a GPU, if any do.
std::optional<std::pair<DeviceId, DeviceId>> sharing(const std::vector<DeviceId>& devices,
                                                     const std::vector<DevicePlace>& places) {
  for (std::size_t i = 0; i < devices.size(); ++i)
    for (std::size_t j = i + 1; j < devices.size(); ++j)
      if (places[devices[i].index()].gpu == places[devices[j].index()].gpu)
        return std::pair(devices[i], devices[j]);
  return std::nullopt;
}

std::vector<DeviceId> who_exchanges(const Channels& channels) {
  std::set<DeviceId> devices;
  for (const Channel& channel : channels.list()) devices.insert({channel.from, channel.to});
  return {devices.begin(), devices.end()};
}

/// Errors: MachineError if a GPU has several ranks.
void check_ranks(const std::vector<DevicePlace>& places) {
  for (std::size_t i = 0; i < places.size(); ++i)
    for (std::size_t j = i + 1; j < places.size(); ++j)
      if (places[i].gpu == places[j].gpu && places[i].rank != places[j].rank)
        throw MachineError(fmt::format(
            "device d{} of rank {} and device d{} of rank {} share GPU {}, which NCCL refuses: "
            "start at most one rank for each GPU",
            i, places[i].rank, j, places[j].rank, places[i].gpu));
}

}  // namespace

std::optional<int> NcclLink::rank_of(DeviceId device) const {
  const auto found = std::ranges::find(members, device);
  if (found == members.end()) return std::nullopt;
  return static_cast<int>(found - members.begin());
}

NcclLinks::NcclLinks(const Program& program, const Channels& channels, const Asked& asked)
    : of_channel_(channels.size()), of_group_(program.groups().size()) {
  check_ranks(asked.places);
  if (asked.communicators == NcclCommunicators::One && channels.size() > 0) {
    const std::vector<DeviceId> all = who_exchanges(channels);
    if (const auto pair = sharing(all, asked.places))
      throw MachineError(fmt::format(
          "one communicator needs a GPU for each device, but d{} and d{} share GPU {}",
          pair->first.value, pair->second.value, asked.places[pair->first.index()].gpu));
    std::ranges::fill(of_channel_, add({"all devices", all}));
    return;
  }
  for (std::size_t c = 0; c < channels.size(); ++c) {
    const Channel& channel = channels.list()[c];
    if (sharing({channel.from, channel.to}, asked.places)) continue;
    std::string name = fmt::format("d{}>d{}", channel.from.value, channel.to.value);
    if (!channel.group.valid()) {
      of_channel_[c] = add({std::move(name), {channel.from, channel.to}, true});
      continue;
    }
    const std::vector<DeviceId>& members = program.groups()[channel.group.index()].devices;
    std::optional<std::size_t>& of_group = of_group_[channel.group.index()];
    if (!of_group && !sharing(members, asked.places))
      of_group = add({fmt::format("group {}", channel.group.value), members});
    of_channel_[c] = of_group ? *of_group
                              : add({fmt::format("group {} {}", channel.group.value, name),
                                     {channel.from, channel.to},
                                     true});
  }
}

std::size_t NcclLinks::add(NcclLink link) {
  list_.push_back(std::move(link));
  return list_.size() - 1;
}

}  // namespace pipegraph
