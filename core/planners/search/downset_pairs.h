// The stages that Piper's search may use: pairs of nested downsets, of those that exchanging
// identical branches makes of each other one.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "core/planners/search/branch_swaps.h"
#include "core/planners/search/ideals.h"

namespace pipegraph {

/// A stage `outer` \ `inner`. What comes after it is the same as after `next`, which is `outer`
/// with identical branches exchanged. All are positions in the family.
struct DownsetPair {
  std::int32_t inner = 0;
  std::int32_t outer = 0;
  std::int32_t next = 0;
};

class DownsetPairs {
 public:
  /// `graph` and `family` must outlive this. Branches are exchanged if the family is complete and
  /// `signature` (by block: equal for blocks that cost the same) is not empty.
  DownsetPairs(const Digraph& graph, const IdealFamily& family,
               std::span<const std::uint64_t> signature = {});

  const IdealFamily& family() const { return family_; }
  const NodeSet& ideal(std::int32_t index) const {
    return family_.ideals[static_cast<std::size_t>(index)];
  }
  std::int32_t full() const { return static_cast<std::int32_t>(family_.ideals.size()) - 1; }
  std::size_t size() const { return outer_.size(); }
  /// Number of the first pair of an inner ideal.
  std::size_t first(std::int32_t inner) const { return begin_[static_cast<std::size_t>(inner)]; }
  /// The outer ideals of the pairs of an inner one; none unless it stands for itself.
  std::span<const std::int32_t> outer(std::int32_t inner) const {
    const auto i = static_cast<std::size_t>(inner);
    return std::span(outer_).subspan(begin_[i], begin_[i + 1] - begin_[i]);
  }
  DownsetPair pair(std::int32_t inner, std::int32_t outer) const {
    return {inner, outer, representative_[static_cast<std::size_t>(outer)]};
  }
  /// By block of pair.outer: the block of pair.next that it has become.
  std::vector<Digraph::Node> moved(const DownsetPair& pair) const {
    return canonical(swaps_, ideal(pair.outer)).moved;
  }

 private:
  void find_codes();
  void find_representatives();
  bool stands_for_itself(std::size_t inner, std::size_t outer) const;

  const IdealFamily& family_;
  std::vector<BranchSwap> swaps_;
  std::vector<std::uint64_t> codes_;          ///< [ideal][swap][side]
  std::vector<std::int32_t> representative_;  ///< by ideal
  std::vector<std::int32_t> outer_;           ///< of all pairs, by inner
  std::vector<std::size_t> begin_;            ///< by inner ideal, into outer_
};

}  // namespace pipegraph
