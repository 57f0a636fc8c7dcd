#include "exec/memory/packing.h"

#include <algorithm>
#include <numeric>
#include <optional>
#include <random>

#include "core/base/errors.h"

namespace pipegraph {

namespace {

using Index = std::uint32_t;
using Order = std::vector<Index>;

/// Comparisons of blocks that all tries together may take.
constexpr std::size_t k_most_work = 20'000'000;
/// Tries beyond the fixed orders.
constexpr int k_most_repairs = 1'000;
/// Above so many pairs alive together, blocks are placed as they come and nothing else is tried.
constexpr std::size_t k_most_pairs = 5'000'000;

/// For each block those alive together with it, flat.
class Neighbours {
 public:
  explicit Neighbours(std::span<const TimedBlock> blocks) : begin_(blocks.size() + 1, 0) {
    Order by_first(blocks.size());
    std::iota(by_first.begin(), by_first.end(), Index{0});
    std::stable_sort(by_first.begin(), by_first.end(),
                     [&](Index a, Index b) { return blocks[a].first < blocks[b].first; });
    std::vector<std::pair<Index, Index>> pairs;
    Order alive;
    for (const Index block : by_first) {
      std::erase_if(alive, [&](Index other) { return blocks[other].last < blocks[block].first; });
      for (const Index other : alive) pairs.emplace_back(block, other);
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

  std::span<const Index> of(Index block) const {
    return std::span(others_).subspan(begin_[block], begin_[block + 1] - begin_[block]);
  }
  std::size_t size() const { return others_.size(); }

 private:
  std::vector<std::size_t> begin_;
  Order others_;
};

/// Which gap between the blocks already placed a block takes.
enum class Fit : std::uint8_t { Lowest, Tightest };

/// Places blocks one after the other in a given order.
class Placer {
 public:
  Placer(std::span<const TimedBlock> blocks, const Neighbours& neighbours)
      : blocks_(blocks), neighbours_(neighbours) {}

  /// Highest end; offsets() and highest() tell more until the next call.
  std::uint64_t place(const Order& order, Fit fit) {
    constexpr std::uint64_t k_unplaced = ~std::uint64_t{0};
    offsets_.assign(blocks_.size(), k_unplaced);
    std::uint64_t end = 0;
    for (const Index block : order) {
      taken_.clear();
      for (const Index other : neighbours_.of(block))
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

  const std::vector<std::uint64_t>& offsets() const { return offsets_; }
  Index highest() const { return highest_; }

 private:
  std::uint64_t gap(std::uint64_t bytes, Fit fit) {
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

  std::span<const TimedBlock> blocks_;
  const Neighbours& neighbours_;
  std::vector<std::uint64_t> offsets_;
  std::vector<std::pair<std::uint64_t, std::uint64_t>> taken_;
  Index highest_ = 0;
};

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

/// First fit in the order of time, remembering only what is alive.
std::vector<std::uint64_t> place_by_time(std::span<const TimedBlock> blocks) {
  struct Placed {
    std::uint64_t begin, end;
    Moment last;
  };
  std::vector<std::uint64_t> offsets(blocks.size());
  std::vector<Placed> alive;  // by begin
  for (const Index i : ordered(blocks.size(), [&](Index b) { return blocks[b].first; })) {
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
