// The channels of a program: directed pairs of devices that exchange messages, once for transfers
// and once more for each group that reduces. A dense table, so that nothing is looked up while
// running.
#pragma once

#include <compare>
#include <vector>

#include "core/base/ids.h"
#include "core/program/program.h"

namespace pipegraph {

using ChannelId = Id<struct ChannelTag>;

struct Channel {
  DeviceId from, to;
  GroupId group;  ///< -1: transfers of the program
  auto operator<=>(const Channel&) const = default;
};

/// The same in every process that has the program. Read-only, so all threads may use it.
class Channels {
 public:
  explicit Channels(const Program& program);

  /// Ascending; ChannelId is the place in this list.
  const std::vector<Channel>& list() const { return list_; }
  std::size_t size() const { return list_.size(); }
  const Channel& at(ChannelId id) const { return list_[id.index()]; }
  /// Of a send or recv.
  ChannelId of(InstructionId half) const { return of_half_[half.index()]; }
  /// Invalid if there is none.
  ChannelId find(const Channel& channel) const;

 private:
  std::vector<Channel> list_;
  std::vector<ChannelId> of_half_;  ///< by instruction
};

}  // namespace pipegraph
