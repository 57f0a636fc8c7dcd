#include "exec/memory/packing.h"

#include <algorithm>
#include <numeric>
#include <optional>
#include <random>

#include "core/base/errors.h"
#include "exec/memory/placement.h"

namespace pipegraph {

namespace {

using Index = BlockIndex;
using Order = BlockOrder;

/// Comparisons of blocks that all tries together may take.
constexpr std::size_t k_most_work = 20'000'000;
/// Tries beyond the fixed orders.
constexpr int k_most_repairs = 1'000;
/// Above so many pairs alive together, blocks are placed as they come and nothing else is tried.
constexpr std::size_t k_most_pairs = 5'000'000;

std::size_t pairs_alive_together(std::span<const TimedBlock> blocks) {
  std::vector<Moment> firsts, lasts;
  for (const TimedBlock& block : blocks) {
    firsts.push_back(block.first);
    lasts.push_back(block.last);
  }
  std::sort(firsts.begin(), firsts.end());
  std::sort(lasts.begin(), lasts.end());
  std::size_t pairs = 0, ended = 0;
  for (std::size_t begun = 0; begun < firsts.size(); ++begun) {
    while (lasts[ended] < firsts[begun]) ++ended;
    pairs += begun - ended;
  }
  return pairs;
}

template <class Key>
Order ordered(std::size_t size, const Key& key) {
  Order order(size);
  std::iota(order.begin(), order.end(), Index{0});
  std::stable_sort(order.begin(), order.end(), [&](Index a, Index b) { return key(a) < key(b); });
  return order;
}

struct Fullest {
  Moment moment = 0;
  Bytes bytes;
};

Fullest fullest(std::span<const TimedBlock> blocks) {
  std::vector<std::pair<Moment, std::int64_t>> changes;
  for (const TimedBlock& block : blocks) {
    const auto bytes = static_cast<std::int64_t>(block.bytes.count);
    changes.emplace_back(block.first, bytes);
    changes.emplace_back(block.last + 1, -bytes);
  }
  std::sort(changes.begin(), changes.end());  // releases of a moment before its allocations
  Fullest result;
  std::int64_t live = 0;
  for (const auto& [moment, change] : changes) {
    live += change;
    if (live <= static_cast<std::int64_t>(result.bytes.count)) continue;
    result = {moment, Bytes{static_cast<std::uint64_t>(live)}};
  }
  return result;
}

/// By time; outwards from the fullest moment, what is alive there first; longest first; largest
/// first; by time from the end.
std::vector<Order> fixed_orders(std::span<const TimedBlock> blocks, Moment fullest) {
  const std::size_t n = blocks.size();
  const auto size = [&](Index i) { return ~blocks[i].bytes.count; };  // descending
  const auto length = [&](Index i) { return blocks[i].first - blocks[i].last; };
  const auto distance = [&](Index i) {
    return std::max({blocks[i].first - fullest, fullest - blocks[i].last, Moment{0}});
  };
  return {
      ordered(n, [&](Index i) { return std::tuple(blocks[i].first, size(i)); }),
      ordered(n, [&](Index i) { return std::tuple(distance(i), length(i), size(i)); }),
      ordered(n, [&](Index i) { return std::tuple(length(i), size(i)); }),
      ordered(n, [&](Index i) { return std::tuple(size(i), length(i)); }),
      ordered(n, [&](Index i) { return std::tuple(-blocks[i].last, size(i)); }),
      ordered(n, [&](Index i) { return std::tuple(distance(i), size(i), length(i)); }),
  };
}

/// Keeps the best of what is tried, within a budget of work.
class Search {
 public:
  Search(std::span<const TimedBlock> blocks, Bytes peak)
      : neighbours_(blocks), placer_(blocks, neighbours_), peak_(peak.count) {
    left_ = k_most_work / std::max<std::size_t>(1, neighbours_.size() + blocks.size());
  }

  bool done() const { return best_ && (left_ == 0 || best_end_ <= peak_); }

  void attempt(const Order& order, Fit fit) {
    if (done()) return;
    if (left_ > 0) --left_;
    const std::uint64_t end = placer_.place(order, fit);
    if (best_ && end > best_end_) return;
    best_end_ = end;
    best_highest_ = placer_.highest();
    best_ = placer_.offsets();
    best_order_ = order;
  }

  /// Walks on from the best order: a block that sticks out moves somewhere earlier, and so does one
  /// at random; what is not worse is kept.
  void repair() {
    std::minstd_rand random(1);  // the same everywhere
    for (int round = 0; round < k_most_repairs && !done(); ++round) {
      Order order = best_order_;
      move_forward(order, best_highest_, random);
      for (auto more = random() % 3; more > 0; --more)
        move_forward(order, static_cast<Index>(random() % order.size()), random);
      attempt(order, round % 2 == 0 ? Fit::Lowest : Fit::Tightest);
    }
  }

  const std::vector<std::uint64_t>& offsets() const { return *best_; }

 private:
  static void move_forward(Order& order, Index block, std::minstd_rand& random) {
    const auto from = std::find(order.begin(), order.end(), block);
    const auto places = static_cast<std::size_t>(from - order.begin()) + 1;
    const auto to = order.begin() + static_cast<std::ptrdiff_t>(random() % places);
    std::rotate(to, from, from + 1);
  }

  Neighbours neighbours_;
  Placer placer_;
  std::uint64_t peak_;
  std::size_t left_ = 1;
  std::optional<std::vector<std::uint64_t>> best_;
  Order best_order_;
  Index best_highest_ = 0;
  std::uint64_t best_end_ = 0;
};

std::vector<std::uint64_t> search(std::span<const TimedBlock> blocks, const Fullest& full,
                                  PackingEffort effort) {
  Search search(blocks, full.bytes);
  for (const Order& order : fixed_orders(blocks, full.moment))
    for (const Fit fit : {Fit::Lowest, Fit::Tightest}) search.attempt(order, fit);
  if (effort == PackingEffort::Thorough) search.repair();
  return search.offsets();
}

}  // namespace

Bytes peak_of(std::span<const TimedBlock> blocks) { return fullest(blocks).bytes; }

Packing pack(std::span<const TimedBlock> blocks, PackingEffort effort) {
  for (const TimedBlock& block : blocks)
    check(block.first <= block.last, "a block ends after it begins");
  const Fullest full = fullest(blocks);
  Packing packing;
  packing.peak = full.bytes;
  if (blocks.empty()) return packing;
  const std::vector<std::uint64_t> offsets = pairs_alive_together(blocks) > k_most_pairs
                                                 ? place_by_time(blocks)
                                                 : search(blocks, full, effort);
  for (std::size_t i = 0; i < blocks.size(); ++i) {
    packing.offsets.push_back(Bytes{offsets[i]});
    packing.bytes = std::max(packing.bytes, packing.offsets[i] + blocks[i].bytes);
  }
  return packing;
}

}  // namespace pipegraph
