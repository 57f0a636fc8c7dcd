#include "exec/memory/arena.h"

#include <algorithm>

#include "core/base/errors.h"
#include "exec/memory/packing.h"

namespace pipegraph {

namespace {

ArenaLayout::Key key_of(const Lifetime& lifetime) {
  ArenaLayout::Key key{lifetime.first, lifetime.part, lifetime.tensor, -1, {}};
  if (lifetime.part == MemoryPart::ReceiveSlots && lifetime.tensor.valid())
    key.first_sample = lifetime.samples.first;
  if (lifetime.part == MemoryPart::SendBuffers) key.last = lifetime.last;
  return key;
}

std::vector<TimedBlock> blocks_of(const std::vector<Lifetime>& lifetimes) {
  std::vector<TimedBlock> blocks;
  for (const Lifetime& lifetime : lifetimes)
    blocks.push_back({lifetime.earliest, lifetime.latest, lifetime.bytes});
  return blocks;
}

}  // namespace

ArenaLayout::ArenaLayout(std::vector<Lifetime> lifetimes, ArenaKind kind)
    : lifetimes_(std::move(lifetimes)) {
  std::sort(lifetimes_.begin(), lifetimes_.end(),
            [](const Lifetime& a, const Lifetime& b) { return key_of(a) < key_of(b); });
  for (std::size_t n = 1; n < lifetimes_.size(); ++n)
    check(key_of(lifetimes_[n - 1]) < key_of(lifetimes_[n]), "a lifetime has a name of its own");
  const std::vector<TimedBlock> blocks = blocks_of(lifetimes_);
  if (kind == ArenaKind::Shared) {
    Packing packing = pack(blocks);
    offsets_ = std::move(packing.offsets);
    bytes_ = packing.bytes;
    peak_ = packing.peak;
    return;
  }
  peak_ = peak_of(blocks);
  for (const TimedBlock& block : blocks) {
    offsets_.push_back(bytes_);
    bytes_ += block.bytes;
  }
}

std::optional<Bytes> ArenaLayout::find(const Key& key) const {
  const auto found = std::lower_bound(
      lifetimes_.begin(), lifetimes_.end(), key,
      [](const Lifetime& lifetime, const Key& wanted) { return key_of(lifetime) < wanted; });
  if (found == lifetimes_.end() || key_of(*found) != key) return std::nullopt;
  return offsets_[static_cast<std::size_t>(found - lifetimes_.begin())];
}

}  // namespace pipegraph
