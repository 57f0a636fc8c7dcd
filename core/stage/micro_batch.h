// Sample ranges: a micro-batch is [first, last) of the mini-batch, never an index, because stages
// may batch differently; and the share of it that one replica of a data-parallel stage owns.
#pragma once

#include <algorithm>
#include <compare>
#include <cstdint>
#include <string>
#include <vector>

namespace pipegraph {

struct MicroBatch {
  std::int32_t first = 0;
  std::int32_t last = 0;

  constexpr auto operator<=>(const MicroBatch&) const = default;
  constexpr std::int32_t samples() const { return last - first; }
  constexpr bool empty() const { return last <= first; }
};

/// The samples in both; possibly empty.
constexpr MicroBatch intersection(MicroBatch a, MicroBatch b) {
  return {std::max(a.first, b.first), std::min(a.last, b.last)};
}
constexpr bool overlap(MicroBatch a, MicroBatch b) { return !intersection(a, b).empty(); }

/// Samples of `whole` that replica `replica` of `replicas` owns; may be empty at a ragged end.
constexpr MicroBatch share(MicroBatch whole, int replica, int replicas) {
  const auto cut = [&](std::int64_t r) {
    return static_cast<std::int32_t>(whole.first + r * whole.samples() / replicas);
  };
  return {cut(replica), cut(replica + 1)};
}

/// [0, b), [b, 2b), ... of a mini-batch; the last one may be shorter.
std::vector<MicroBatch> micro_batches(std::int32_t mini_batch, std::int32_t micro_batch);

/// "[0,4)".
std::string to_text(MicroBatch range);

}  // namespace pipegraph
