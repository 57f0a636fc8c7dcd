#include "exec/memory/placement.h"

#include <algorithm>
#include <numeric>
#include <optional>

namespace pipegraph {

namespace {

BlockOrder by_first_moment(std::span<const TimedBlock> blocks) {
  BlockOrder order(blocks.size());
  std::iota(order.begin(), order.end(), BlockIndex{0});
  std::stable_sort(order.begin(), order.end(),
                   [&](BlockIndex a, BlockIndex b) { return blocks[a].first < blocks[b].first; });
  return order;
}

}  // namespace

Neighbours::Neighbours(std::span<const TimedBlock> blocks) : begin_(blocks.size() + 1, 0) {
  std::vector<std::pair<BlockIndex, BlockIndex>> pairs;
  BlockOrder alive;
  for (const BlockIndex block : by_first_moment(blocks)) {
    std::erase_if(alive,
                  [&](BlockIndex other) { return blocks[other].last < blocks[block].first; });
    for (const BlockIndex other : alive) pairs.emplace_back(block, other);
    alive.push_back(block);
  }
  for (const auto& [a, b] : pairs) ++begin_[a + 1], ++begin_[b + 1];
  std::partial_sum(begin_.begin(), begin_.end(), begin_.begin());
  others_.resize(begin_.back());
  std::vector<std::size_t> next(begin_.begin(), begin_.end() - 1);
  for (const auto& [a, b] : pairs) {
    others_[next[a]++] = b;
    others_[next[b]++] = a;
  }
}

std::uint64_t Placer::place(const BlockOrder& order, Fit fit) {
  constexpr std::uint64_t k_unplaced = ~std::uint64_t{0};
  offsets_.assign(blocks_.size(), k_unplaced);
  std::uint64_t end = 0;
  for (const BlockIndex block : order) {
    taken_.clear();
    for (const BlockIndex other : neighbours_.of(block))
      if (offsets_[other] != k_unplaced)
        taken_.emplace_back(offsets_[other], offsets_[other] + blocks_[other].bytes.count);
    offsets_[block] = gap(blocks_[block].bytes.count, fit);
    const std::uint64_t own_end = offsets_[block] + blocks_[block].bytes.count;
    if (own_end <= end) continue;
    end = own_end;
    highest_ = block;
  }
  return end;
}

std::uint64_t Placer::gap(std::uint64_t bytes, Fit fit) {
  std::sort(taken_.begin(), taken_.end());
  std::optional<std::uint64_t> best;
  std::uint64_t from = 0, least_room = ~std::uint64_t{0};
  for (const auto& [begin, end] : taken_) {
    if (begin >= from + bytes && begin - from < least_room) {
      best = from;
      least_room = begin - from;
      if (fit == Fit::Lowest) break;
    }
    from = std::max(from, end);
  }
  return best.value_or(from);
}

std::vector<std::uint64_t> place_by_time(std::span<const TimedBlock> blocks) {
  struct Placed {
    std::uint64_t begin, end;
    Moment last;
  };
  std::vector<std::uint64_t> offsets(blocks.size());
  std::vector<Placed> alive;  // by begin
  for (const BlockIndex i : by_first_moment(blocks)) {
    const TimedBlock& block = blocks[i];
    std::erase_if(alive, [&](const Placed& other) { return other.last < block.first; });
    std::uint64_t from = 0;
    auto after = alive.begin();
    for (; after != alive.end() && after->begin < from + block.bytes.count; ++after)
      from = std::max(from, after->end);
    offsets[i] = from;
    alive.insert(after, {from, from + block.bytes.count, block.last});
  }
  return offsets;
}

}  // namespace pipegraph
