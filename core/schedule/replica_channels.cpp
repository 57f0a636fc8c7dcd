#include "core/schedule/replica_channels.h"

#include <algorithm>

namespace pipegraph {
namespace {

/// Samples of one sender's share that one reader's share needs.
struct Overlap {
  std::int32_t reader = 0;
  std::int32_t batch = 0;  ///< of the reader
  MicroBatch samples;
};

/// The channels of one sending replica.
class ChannelsOf {
 public:
  ChannelsOf(const SharePartition& senders, const SharePartition& readers, std::int32_t sender)
      : senders_(senders),
        readers_(readers),
        sender_(sender),
        channel_of_(static_cast<std::size_t>(readers.replicas()), -1) {}

  void send(std::int32_t batch) {
    // Micro-batches of equal size in both stages are all alike, but for a ragged last one.
    const bool alike = senders_.whole(0) == readers_.whole(0) && !overlaps_.empty() &&
                       senders_.whole(batch).samples() == senders_.whole(seen_).samples();
    if (!alike) {
      find_overlaps(batch);
      seen_ = batch;
    }
    for (const Overlap& overlap : overlaps_)
      add(batch, overlap, alike ? overlap.batch + batch - seen_ : overlap.batch);
  }

  std::vector<ReplicaChannel> take() { return std::move(channels_); }

 private:
  void find_overlaps(std::int32_t batch) {
    overlaps_.clear();
    const MicroBatch own = senders_.share(batch, sender_);
    if (own.empty()) return;
    readers_.for_each_overlapping(own, [&](std::int32_t index, std::int32_t reader) {
      overlaps_.push_back({reader, index, intersection(readers_.share(index, reader), own)});
    });
    std::ranges::stable_sort(overlaps_, {}, &Overlap::reader);
  }

  void add(std::int32_t batch, const Overlap& overlap, std::int32_t reader_batch) {
    std::int32_t& at = channel_of_[static_cast<std::size_t>(overlap.reader)];
    if (at < 0) {
      at = static_cast<std::int32_t>(channels_.size());
      channels_.push_back({sender_, overlap.reader, {}, {}});
      channels_.back().messages.reserve(static_cast<std::size_t>(senders_.count()));
      channels_.back().last_needed.assign(static_cast<std::size_t>(readers_.count()), -1);
    }
    ReplicaChannel& channel = channels_[static_cast<std::size_t>(at)];
    const bool continues = !channel.messages.empty() && channel.messages.back().batch == batch &&
                           overlap.reader == last_reader_ && overlap.samples.first <= last_sample_;
    if (continues)
      channel.messages.back().samples += overlap.samples.last - last_sample_;
    else
      channel.messages.push_back({batch, overlap.samples.samples()});
    last_reader_ = overlap.reader;
    last_sample_ = overlap.samples.last;
    std::int32_t& needed = channel.last_needed[static_cast<std::size_t>(reader_batch)];
    needed = std::max(needed, static_cast<std::int32_t>(channel.messages.size()) - 1);
  }

  const SharePartition& senders_;
  const SharePartition& readers_;
  std::int32_t sender_;
  std::vector<std::int32_t> channel_of_;  ///< by reader; -1: none yet
  std::vector<ReplicaChannel> channels_;
  std::vector<Overlap> overlaps_;  ///< of micro-batch seen_, by reader
  std::int32_t seen_ = 0;
  std::int32_t last_reader_ = -1;
  std::int32_t last_sample_ = 0;
};

}  // namespace

std::vector<ReplicaChannel> replica_channels(const SharePartition& senders,
                                             const SharePartition& readers,
                                             std::span<const std::int32_t> sent) {
  std::vector<ReplicaChannel> result;
  for (std::int32_t sender = 0; sender < senders.replicas(); ++sender) {
    ChannelsOf channels(senders, readers, sender);
    for (const std::int32_t batch : sent) channels.send(batch);
    for (ReplicaChannel& channel : channels.take()) result.push_back(std::move(channel));
  }
  return result;
}

}  // namespace pipegraph
