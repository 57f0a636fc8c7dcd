// The samples of a mini-batch cut into a stage's micro-batches, and these into its replicas'
// shares, with the question every consumer asks: which shares overlap these samples?
#pragma once

#include "core/stage/micro_batch.h"

namespace pipegraph {

class SharePartition {
 public:
  SharePartition() = default;
  /// All at least 1; a micro-batch above the mini-batch is clipped.
  SharePartition(std::int32_t mini_batch, std::int32_t micro_batch, std::int32_t replicas)
      : mini_batch_(mini_batch),
        micro_batch_(std::min(micro_batch, mini_batch)),
        replicas_(replicas) {}

  bool operator==(const SharePartition&) const = default;
  std::int32_t replicas() const { return replicas_; }
  /// How many micro-batches there are; only the last may be shorter.
  std::int32_t count() const { return (mini_batch_ - 1) / micro_batch_ + 1; }
  std::int32_t index_of(std::int32_t sample) const { return sample / micro_batch_; }

  MicroBatch whole(std::int32_t index) const {
    const std::int32_t first = index * micro_batch_;
    return {first, first + std::min(micro_batch_, mini_batch_ - first)};
  }
  /// May be empty where a micro-batch has fewer samples than there are replicas.
  MicroBatch share(std::int32_t index, std::int32_t replica) const {
    return pipegraph::share(whole(index), replica, replicas_);
  }

  /// Calls visit(index, replica) for every share that has samples of `range` (not empty), in the
  /// order of the samples.
  template <class Visit>
  void for_each_overlapping(MicroBatch range, const Visit& visit) const {
    const std::int32_t last = index_of(range.last - 1);
    for (std::int32_t index = index_of(range.first); index <= last; ++index) {
      const MicroBatch batch = whole(index);
      const MicroBatch inside = intersection(batch, range);
      const std::int32_t last_replica = owner(batch, inside.last - 1);
      for (std::int32_t r = owner(batch, inside.first); r <= last_replica; ++r)
        if (batch.samples() >= replicas_ || !pipegraph::share(batch, r, replicas_).empty())
          visit(index, r);
    }
  }

 private:
  /// The replica whose share holds `sample`: the largest r with floor(r n / R) <= offset.
  std::int32_t owner(MicroBatch batch, std::int32_t sample) const {
    const std::int64_t offset = sample - batch.first;
    return static_cast<std::int32_t>(((offset + 1) * replicas_ - 1) / batch.samples());
  }

  std::int32_t mini_batch_ = 1;
  std::int32_t micro_batch_ = 1;
  std::int32_t replicas_ = 1;
};

}  // namespace pipegraph
