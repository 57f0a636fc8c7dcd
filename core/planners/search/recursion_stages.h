// The stages that the rules of the paper's recursion allow, each priced once whatever the target:
// children of a series, branches side by side, and a piece of one branch with what it forks from or
// joins.
#pragma once

#include <array>
#include <map>
#include <vector>

#include "core/graph/series_parallel.h"
#include "core/planners/search/problem.h"

namespace pipegraph {

/// Children [first, last) of a part. A part that is no series counts as a series of one.
struct TreePart {
  const SeriesParallelTree* tree = nullptr;  ///< null: nothing
  std::size_t first = 0;
  std::size_t last = 0;
  auto operator<=>(const TreePart&) const = default;
};

/// Children of a series, and of one branch of the parallel part after or before them.
struct StagePieces {
  TreePart children;
  TreePart branch{};
  auto operator<=>(const StagePieces&) const = default;
};

class RecursionStages {
 public:
  struct Candidate {
    std::vector<Digraph::Node> blocks;  ///< ascending
    std::vector<double> time;           ///< by position in the device counts: seconds per sample
    /// By the same: bytes on a device whatever is in flight, and of a micro-batch in flight.
    std::vector<double> fixed, saved;
  };

  /// All but `counts` must outlive this.
  RecursionStages(const SearchProblem& problem, const BatchCosts& costs, std::vector<int> counts);

  const std::vector<int>& counts() const { return counts_; }
  std::size_t size() const { return candidates_.size(); }
  const Candidate& at(int number) const { return candidates_[static_cast<std::size_t>(number)]; }

  /// Number of the stage; -1 if it would have no blocks.
  int of(const StagePieces& pieces);
  /// Branches [first, last) of a parallel part as one stage, which has blocks.
  int of_branches(const TreePart& branches);
  /// Of how many branches of a parallel part, the first ones, cuts must be tried: where all are
  /// alike it is enough to cut the first.
  std::size_t branches_to_cut(const SeriesParallelTree& tree);

 private:
  int number_of(std::vector<Digraph::Node> blocks);
  bool alike(const SeriesParallelTree& a, const SeriesParallelTree& b) const;
  bool alike(Digraph::Node a, Digraph::Node b) const;

  const SearchProblem& problem_;
  const BatchCosts& costs_;
  std::vector<int> counts_;
  std::vector<Candidate> candidates_;
  std::map<std::vector<Digraph::Node>, int> by_blocks_;
  std::map<StagePieces, int> by_pieces_;
  std::map<TreePart, int> by_branches_;
  std::map<const SeriesParallelTree*, std::size_t> branches_to_cut_;  ///< looked up only
  /// By block what its output costs: bytes, crossings, bytes that a reader keeps.
  std::vector<std::array<double, 3>> output_of_;
};

}  // namespace pipegraph
