#include "core/program/channels.h"

#include <algorithm>
#include <unordered_map>

namespace pipegraph {

namespace {

/// Devices looked at, over all searches of ways back; beyond it senders stay ignorant, which only
/// loosens bounds.
constexpr std::size_t k_search_limit = std::size_t{1} << 24;

std::uint64_t key(DeviceId from, DeviceId to) {
  return static_cast<std::uint64_t>(from.value) << 32 | static_cast<std::uint32_t>(to.value);
}

/// Searches shortest ways along channels.
class WaySearch {
 public:
  WaySearch(const std::vector<ChannelMessages>& channels, std::size_t devices)
      : channels_(channels), outgoing_(devices), reached_by_(devices, -1) {
    for (std::size_t c = 0; c < channels.size(); ++c)
      outgoing_[channels[c].from.index()].push_back(static_cast<std::int32_t>(c));
  }

  /// Channels from one device to another, in reverse order; empty if there is no way.
  std::vector<std::int32_t> way(DeviceId from, DeviceId to) {
    std::vector<DeviceId> seen{from};
    bool found = false;
    for (std::size_t head = 0; head < seen.size() && !found; ++head)
      found = expand(seen[head], from, to, seen);
    looked_at_ += seen.size();
    std::vector<std::int32_t> way;
    for (DeviceId at = to; found && at != from;) {
      way.push_back(reached_by_[at.index()]);
      at = channels_[static_cast<std::size_t>(way.back())].from;
    }
    for (const DeviceId device : seen) reached_by_[device.index()] = -1;
    return way;
  }
  bool exhausted() const { return looked_at_ > k_search_limit; }

 private:
  bool expand(DeviceId device, DeviceId from, DeviceId to, std::vector<DeviceId>& seen) {
    for (const std::int32_t c : outgoing_[device.index()]) {
      const DeviceId next = channels_[static_cast<std::size_t>(c)].to;
      if (next == from || reached_by_[next.index()] >= 0) continue;
      reached_by_[next.index()] = c;
      seen.push_back(next);
      if (next == to) return true;
    }
    return false;
  }

  const std::vector<ChannelMessages>& channels_;
  std::vector<std::vector<std::int32_t>> outgoing_;
  std::vector<std::int32_t> reached_by_;
  std::size_t looked_at_ = 0;
};

}  // namespace

ChannelTable::ChannelTable(const Program& program)
    : channel_(program.size(), -1), number_(program.size(), 0) {
  std::unordered_map<std::uint64_t, std::int32_t> known;
  std::vector<std::int32_t> of_lane(program.lanes().size(), -1);
  for (std::size_t n = 0; n < program.size(); ++n) {
    const Instruction& i = program.instructions()[n];
    if (!is_transfer(i.kind)) continue;
    const bool sends = i.kind == InstructionKind::Send;
    const DeviceId from = sends ? i.device : i.peer, to = sends ? i.peer : i.device;
    std::int32_t& c = of_lane[i.lane.index()];
    if (c < 0 || at(c).from != from || at(c).to != to) {
      const auto [entry, fresh] =
          known.try_emplace(key(from, to), static_cast<std::int32_t>(list_.size()));
      if (fresh) list_.push_back({from, to, -1, {}, {}, {}});
      c = entry->second;
    }
    ChannelMessages& channel = list_[static_cast<std::size_t>(c)];
    std::vector<InstructionId>& halves = sends ? channel.sends : channel.recvs;
    channel_[n] = c;
    number_[n] = static_cast<std::uint32_t>(halves.size());
    halves.push_back(make_id<InstructionId>(n));
  }
  for (ChannelMessages& channel : list_)
    if (const auto back = known.find(key(channel.to, channel.from)); back != known.end())
      channel.reverse = back->second;
  route_news(program.device_count());
}

InstructionId ChannelTable::send_of(InstructionId recv) const {
  const std::vector<InstructionId>& sends = at(channel(recv)).sends;
  return number(recv) < sends.size() ? sends[number(recv)] : InstructionId{};
}

/// The sender of every channel must hear of its receiver.
void ChannelTable::route_news(std::size_t devices) {
  WaySearch search(list_, devices);
  for (const ChannelMessages& channel : list_) {
    const DeviceId sender = channel.from, receiver = channel.to;
    if (channel.reverse >= 0) {
      list_[static_cast<std::size_t>(channel.reverse)].news.push_back(receiver);
    } else if (!search.exhausted()) {
      for (const std::int32_t way : search.way(receiver, sender))
        list_[static_cast<std::size_t>(way)].news.push_back(receiver);
    }
  }
  for (ChannelMessages& channel : list_) {
    std::sort(channel.news.begin(), channel.news.end());
    channel.news.erase(std::unique(channel.news.begin(), channel.news.end()), channel.news.end());
  }
}

}  // namespace pipegraph
