// Tells when the devices of all ranks wait for each other and no message is on its way between
// ranks, from what ranks report of themselves at different times: they will wait for ever.
//
// Counts are agreed twice (F. Mattern, Algorithms for distributed termination detection, 1987). If
// all reports are of waiting ranks, and all channels are even, a new round begins. Reports that
// were made when their rank had heard of that round, and in which nothing has happened since the
// ones before, mean that at the moment in which the round began every rank waited, with those
// counts.
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "exec/transport/channel_counts.h"

namespace pipegraph {

/// What the devices of a process do: something; wait, all that are not through with the step; or
/// all are through.
enum class DevicesState : std::int32_t { Busy, Waiting, Done };  // NOLINT: sent as it is

struct RankReport {
  DevicesState state = DevicesState::Busy;
  std::uint64_t activity = 0;  ///< ChannelCounts::activity when the state was seen, and since
  std::uint64_t heard = 0;     ///< the last round of which the rank knew when it made this
  std::vector<ChannelCount> channels;  ///< of the rank's ends, in the order of the list below
};

/// A channel between two ranks.
struct RemoteChannel {
  ChannelId id;
  std::int32_t from = 0, to = 0;  ///< ranks
};

/// Ascending by channel. `rank_of_device`: by device.
std::vector<RemoteChannel> remote_channels(const Channels& channels,
                                           const std::vector<std::int32_t>& rank_of_device);

class RankQuiescence {
 public:
  RankQuiescence(std::size_t ranks, std::vector<RemoteChannel> channels);

  /// The present round, of which all ranks are to be told.
  std::uint64_t round() const { return round_; }
  /// The latest report of a rank. Reports of one rank come in the order in which they were made.
  void take(std::size_t rank, RankReport report);
  /// Whether no device will ever do anything again though some are not through. It may begin a new
  /// round, and is never true of the first reports.
  bool reached();

 private:
  bool all_wait() const;
  bool channels_even() const;
  std::vector<std::uint64_t> activities() const;

  std::vector<RemoteChannel> channels_;
  std::vector<std::optional<RankReport>> reports_;  ///< by rank
  std::uint64_t round_ = 0;
  std::vector<std::uint64_t> agreed_;  ///< activities with which the round began; empty: none
};

}  // namespace pipegraph
