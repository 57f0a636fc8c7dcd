// Which communicators of NCCL a program needs, and who takes part in each: the same list in the
// same order on every rank. Nothing here calls NCCL.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "core/program/program.h"
#include "exec/cuda/gpu_options.h"
#include "exec/transport/channels.h"

namespace pipegraph {

/// Where a device computes.
struct DevicePlace {
  std::int32_t rank = 0;
  std::string gpu;  ///< the same text for the same GPU, whichever rank asks
};

/// One communicator.
struct NcclLink {
  std::string name;               ///< "d0>d1", "group 2", "group 2 d0>d1", "all devices"
  std::vector<DeviceId> members;  ///< by rank of the communicator
  bool one_way = false;           ///< the first sends, the second receives
  /// The rank of a member; nothing for other devices.
  std::optional<int> rank_of(DeviceId device) const;
};

class NcclLinks {
 public:
  struct Asked {
    std::vector<DevicePlace> places;  ///< by device
    NcclCommunicators communicators = NcclCommunicators::PerPair;
  };
  /// Devices on one GPU get none between them: NCCL refuses that. Errors: MachineError if two of
  /// them belong to different ranks, or if there is to be one communicator for all.
  NcclLinks(const Program& program, const Channels& channels, const Asked& asked);

  const std::vector<NcclLink>& list() const { return list_; }
  /// The place in the list of what carries a channel; nothing for devices on one GPU.
  std::optional<std::size_t> of(ChannelId channel) const { return of_channel_[channel.index()]; }
  /// Of the communicator whose members are a group's; nothing if there is none.
  std::optional<std::size_t> of(GroupId group) const { return of_group_[group.index()]; }

 private:
  std::size_t add(NcclLink link);

  std::vector<NcclLink> list_;
  std::vector<std::optional<std::size_t>> of_channel_;
  std::vector<std::optional<std::size_t>> of_group_;
};

}  // namespace pipegraph
