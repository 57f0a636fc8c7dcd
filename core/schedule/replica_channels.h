// The messages that replicas of one stage send to replicas of another in a mini-batch, by the rule
// of the lowering: one per pass, reader and maximal contiguous range of samples.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "core/stage/share_partition.h"

namespace pipegraph {

struct ReplicaMessage {
  std::int32_t batch = 0;    ///< the sender's micro-batch; sent when its pass has ended
  std::int32_t samples = 0;  ///< carried
};

/// Everything from one replica to another.
struct ReplicaChannel {
  std::int32_t sender = 0;               ///< replica of the sending stage
  std::int32_t reader = 0;               ///< replica of the reading stage
  std::vector<ReplicaMessage> messages;  ///< in the order they are sent
  /// By micro-batch of the reader: the last of `messages` that its share needs; -1: none.
  std::vector<std::int32_t> last_needed;
};

/// Channels with at least one message, by sender. `sent`: the sender's micro-batches in the order
/// of its passes, each once. Both partitions are of the same mini-batch.
std::vector<ReplicaChannel> replica_channels(const SharePartition& senders,
                                             const SharePartition& readers,
                                             std::span<const std::int32_t> sent);

}  // namespace pipegraph
