#include "exec/transport/rank_quiescence.h"

#include <algorithm>

#include "core/base/errors.h"

namespace pipegraph {

std::vector<RemoteChannel> remote_channels(const Channels& channels,
                                           const std::vector<std::int32_t>& rank_of_device) {
  std::vector<RemoteChannel> remote;
  for (std::size_t i = 0; i < channels.size(); ++i) {
    const Channel& channel = channels.list()[i];
    const std::int32_t from = rank_of_device[channel.from.index()];
    const std::int32_t to = rank_of_device[channel.to.index()];
    if (from != to) remote.push_back({make_id<ChannelId>(i), from, to});
  }
  return remote;
}

RankQuiescence::RankQuiescence(std::size_t ranks, std::vector<RemoteChannel> channels)
    : channels_(std::move(channels)), reports_(ranks) {}

void RankQuiescence::take(std::size_t rank, RankReport report) {
  reports_[rank] = std::move(report);
}

bool RankQuiescence::all_wait() const {
  bool somebody_waits = false;
  for (const auto& report : reports_) {
    if (!report || report->state == DevicesState::Busy) return false;
    somebody_waits = somebody_waits || report->state == DevicesState::Waiting;
  }
  return somebody_waits;
}

/// A message both of whose halves are posted is on its way until both have completed.
bool RankQuiescence::channels_even() const {
  std::vector<std::size_t> next(reports_.size());
  const auto end_on = [&](std::int32_t rank) {
    const auto of = static_cast<std::size_t>(rank);
    check(next[of] < reports_[of]->channels.size(), "a report counts all channels of its rank");
    return reports_[of]->channels[next[of]++];
  };
  for (const RemoteChannel& channel : channels_) {
    const ChannelCount from = end_on(channel.from), to = end_on(channel.to);
    const std::uint32_t matched = std::min(from.posted, to.posted);
    if (from.completed != matched || to.completed != matched) return false;
  }
  return true;
}

std::vector<std::uint64_t> RankQuiescence::activities() const {
  std::vector<std::uint64_t> activities;
  for (const auto& report : reports_) activities.push_back(report->activity);
  return activities;
}

bool RankQuiescence::reached() {
  if (!all_wait() || !channels_even()) {
    agreed_.clear();
    return false;
  }
  if (agreed_ != activities()) {
    agreed_ = activities();
    ++round_;
    return false;
  }
  return std::ranges::all_of(reports_, [&](const auto& report) { return report->heard >= round_; });
}

}  // namespace pipegraph
