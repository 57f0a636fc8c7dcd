// The channels of a program with their messages in order, and which devices' progress each channel
// has to carry so that every sender knows how far its receiver has come.
#pragma once

#include <vector>

#include "core/program/program.h"

namespace pipegraph {

struct ChannelMessages {
  DeviceId from, to;
  std::int32_t reverse = -1;  ///< the channel back; -1: there is none
  std::vector<InstructionId> sends, recvs;
  /// Devices whose progress `to` needs to hear of from `from`; `from` itself among them if there is
  /// a channel back, and those for whom this channel lies on a shortest way back to a sender.
  std::vector<DeviceId> news;
};

class ChannelTable {
 public:
  explicit ChannelTable(const Program& program);

  const std::vector<ChannelMessages>& list() const { return list_; }
  const ChannelMessages& at(std::int32_t channel) const {
    return list_[static_cast<std::size_t>(channel)];
  }
  /// Of a send or recv; -1 for others.
  std::int32_t channel(InstructionId id) const { return channel_[id.index()]; }
  /// Position of a send or recv among those of its channel.
  std::size_t number(InstructionId id) const { return number_[id.index()]; }
  /// The send that a recv matches; -1 if there is none.
  InstructionId send_of(InstructionId recv) const;

 private:
  void route_news(std::size_t devices);

  std::vector<ChannelMessages> list_;
  std::vector<std::int32_t> channel_;
  std::vector<std::uint32_t> number_;
};

}  // namespace pipegraph
