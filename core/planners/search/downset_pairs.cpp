#include "core/planners/search/downset_pairs.h"

#include <numeric>
#include <unordered_map>

#include "core/base/errors.h"

namespace pipegraph {
namespace {

struct SetHash {
  std::size_t operator()(const NodeSet& set) const { return set.hash(); }
};

}  // namespace

DownsetPairs::DownsetPairs(const Digraph& graph, const IdealFamily& family,
                           std::span<const std::uint64_t> signature)
    : family_(family) {
  if (family.complete) swaps_ = find_branch_swaps(graph, signature);
  find_codes();
  find_representatives();
  const std::size_t count = family.ideals.size();
  begin_.push_back(0);
  for (std::size_t inner = 0; inner < count; ++inner) {
    if (representative_[inner] == static_cast<std::int32_t>(inner))
      for (std::size_t outer = inner + 1; outer < count; ++outer)
        if (stands_for_itself(inner, outer) &&
            family.ideals[inner].is_subset_of(family.ideals[outer]))
          outer_.push_back(static_cast<std::int32_t>(outer));
    begin_.push_back(outer_.size());
  }
}

void DownsetPairs::find_codes() {
  codes_.reserve(2 * swaps_.size() * family_.ideals.size());
  for (const NodeSet& set : family_.ideals)
    for (const BranchSwap& swap : swaps_) {
      codes_.push_back(branch_code(swap.first, set));
      codes_.push_back(branch_code(swap.second, set));
    }
}

void DownsetPairs::find_representatives() {
  representative_.resize(family_.ideals.size());
  std::iota(representative_.begin(), representative_.end(), 0);
  if (swaps_.empty()) return;
  std::unordered_map<NodeSet, std::int32_t, SetHash> index;
  for (std::size_t i = 0; i < family_.ideals.size(); ++i)
    index.emplace(family_.ideals[i], static_cast<std::int32_t>(i));
  for (std::size_t i = 0; i < family_.ideals.size(); ++i) {
    const auto found = index.find(canonical(swaps_, family_.ideals[i]).set);
    check(found != index.end(), "a complete family is closed under exchanges of branches");
    representative_[i] = found->second;
  }
}

/// Of the pairs that exchanges make of each other, at least one has no smaller code before a larger
/// one where the inner codes are equal.
bool DownsetPairs::stands_for_itself(std::size_t inner, std::size_t outer) const {
  const std::size_t width = 2 * swaps_.size();
  for (std::size_t i = 0; i < width; i += 2) {
    const std::uint64_t* below = &codes_[inner * width + i];
    const std::uint64_t* above = &codes_[outer * width + i];
    if (below[0] == below[1] && above[0] < above[1]) return false;
  }
  return true;
}

}  // namespace pipegraph
