// How many halves of messages a process has posted and how many have completed, for other threads
// to see.
#pragma once

#include <atomic>
#include <cstdint>
#include <memory>

#include "exec/transport/channels.h"

namespace pipegraph {

/// Of one end of a channel.
struct ChannelCount {
  std::uint32_t posted = 0;
  std::uint32_t completed = 0;
  bool operator==(const ChannelCount&) const = default;
};

/// Counting is up to the thread of the channel's device, reading to any.
class ChannelCounts {
 public:
  explicit ChannelCounts(std::size_t channels) : counts_(std::make_unique<Count[]>(channels)) {}

  void posted(ChannelId id) noexcept {
    counts_[id.index()].posted.fetch_add(1);
    something_happened();
  }
  void completed(ChannelId id) noexcept {
    counts_[id.index()].completed.fetch_add(1);
    something_happened();
  }
  /// Messages within the process are not counted one by one.
  void something_happened() noexcept { activity_.fetch_add(1); }

  ChannelCount of(ChannelId id) const noexcept {
    return {counts_[id.index()].posted.load(), counts_[id.index()].completed.load()};
  }
  /// Grows with everything that is posted or completes.
  std::uint64_t activity() const noexcept { return activity_.load(); }

 private:
  struct Count {
    std::atomic<std::uint32_t> posted{0}, completed{0};
  };
  std::unique_ptr<Count[]> counts_;  ///< by channel
  std::atomic<std::uint64_t> activity_{0};
};

}  // namespace pipegraph
