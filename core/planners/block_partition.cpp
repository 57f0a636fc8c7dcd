#include "core/planners/block_partition.h"

#include <algorithm>
#include <utility>

#include "core/base/errors.h"

namespace pipegraph {
namespace {

/// Entries of the table of blocks and prefixes (16 bytes each); without it above.
constexpr std::size_t k_most_table = 1 << 24;

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

/// Ends of blocks that take as much as `most` allows, but leave an element for each block to come;
/// the last takes the rest.
std::vector<std::size_t> fill(const std::vector<double>& sums, std::size_t blocks, double most) {
  const std::size_t count = sums.size() - 1;
  std::vector<std::size_t> ends;
  std::size_t end = 0;
  for (std::size_t left = blocks - 1; left > 0; --left) {
    const double begin = sums[end++];
    while (end < count - left && sums[end + 1] - begin <= most) ++end;
    ends.push_back(end);
  }
  ends.push_back(count);
  return ends;
}

double largest_of(const std::vector<double>& sums, const std::vector<std::size_t>& ends) {
  double largest = 0;
  std::size_t begin = 0;
  for (const std::size_t end : ends) {
    largest = std::max(largest, sums[end] - sums[begin]);
    begin = end;
  }
  return largest;
}

/// Halves the range of the largest block until no sum lies between the ends of the range.
std::vector<std::size_t> partition_by_bisection(const std::vector<double>& sums,
                                                std::size_t blocks) {
  double low = 0;  // too little, or nothing at all
  std::vector<std::size_t> ends = fill(sums, blocks, low);
  double high = largest_of(sums, ends);
  while (true) {
    const double middle = low + (high - low) / 2;
    if (middle <= low || middle >= high) return ends;
    auto tried = fill(sums, blocks, middle);
    const double largest = largest_of(sums, tried);
    if (largest <= middle) {
      ends = std::move(tried);
      high = largest;
    } else {
      low = middle;
    }
  }
}

}  // namespace

std::vector<std::size_t> block_partition(std::span<const double> weights, std::size_t blocks) {
  check(blocks >= 1 && blocks <= weights.size(), "blocks are not empty");
  std::vector<double> sums{0.0};
  for (const double weight : weights) sums.push_back(sums.back() + weight);
  if (blocks > k_most_table / sums.size()) return partition_by_bisection(sums, blocks);
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
