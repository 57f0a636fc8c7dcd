#include "core/planners/block_partition.h"

#include <algorithm>

#include "core/base/errors.h"

namespace pipegraph {
namespace {

/// For prefixes of every length: the least largest block, and where the last block begins.
struct Row {
  std::vector<double> largest;
  std::vector<std::size_t> cut;
};

/// One block more than `before` (of `blocks` blocks). As the last block shrinks, the rest's largest
/// block grows: the best cut is where the two meet.
Row add_block(const std::vector<double>& sums, const Row& before, std::size_t blocks) {
  const std::size_t count = sums.size() - 1;
  Row row{std::vector<double>(count + 1), std::vector<std::size_t>(count + 1)};
  for (std::size_t length = blocks + 1; length <= count; ++length) {
    std::size_t low = blocks;  // the first cut at which the rest is not smaller than the last block
    std::size_t high = length - 1;
    while (low < high) {
      const std::size_t middle = low + (high - low) / 2;
      if (before.largest[middle] >= sums[length] - sums[middle])
        high = middle;
      else
        low = middle + 1;
    }
    const auto value = [&](std::size_t cut) {
      return std::max(before.largest[cut], sums[length] - sums[cut]);
    };
    const std::size_t best = low > blocks && value(low - 1) <= value(low) ? low - 1 : low;
    row.largest[length] = value(best);
    row.cut[length] = best;
  }
  return row;
}

}  // namespace

std::vector<std::size_t> block_partition(std::span<const double> weights, std::size_t blocks) {
  check(blocks >= 1 && blocks <= weights.size(), "blocks are not empty");
  std::vector<double> sums{0.0};
  for (const double weight : weights) sums.push_back(sums.back() + weight);
  std::vector<Row> rows{{sums, std::vector<std::size_t>(sums.size(), 0)}};
  while (rows.size() < blocks) rows.push_back(add_block(sums, rows.back(), rows.size()));

  std::vector<std::size_t> ends(blocks);
  std::size_t end = weights.size();
  for (std::size_t block = blocks; block-- > 0;) {
    ends[block] = end;
    end = rows[block].cut[end];
  }
  return ends;
}

std::vector<std::size_t> equal_partition(std::size_t count, std::size_t blocks) {
  check(blocks >= 1 && blocks <= count, "blocks are not empty");
  std::vector<std::size_t> ends;
  for (std::size_t block = 1; block <= blocks; ++block) ends.push_back(block * count / blocks);
  return ends;
}

}  // namespace pipegraph
