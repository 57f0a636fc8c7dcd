// Series-parallel decomposition of a DAG whose operators are its nodes: each node is split into an
// edge, so that every cut lies between nodes and each node belongs to one part (GraphPipe,
// arXiv 2406.17145, section 5). A recogniser by series and parallel reductions, linear in edges up
// to a logarithm.
#pragma once

#include <cstdint>
#include <string>
#include <variant>
#include <vector>

#include "core/graph/digraph.h"

namespace pipegraph {

/// A tree whose leaves are single nodes. Series children stand in execution order; parallel
/// children are ordered by their smallest node, Empty first. Neighbouring levels differ in kind. A
/// parallel child may be `Empty`: an edge that bypasses its siblings.
struct SeriesParallelTree {
  enum class Kind : std::uint8_t { Leaf, Series, Parallel, Empty };
  Kind kind = Kind::Leaf;
  Digraph::Node node = -1;                   ///< of a leaf
  std::vector<SeriesParallelTree> children;  ///< two or more unless a leaf or Empty

  bool operator==(const SeriesParallelTree&) const = default;
  std::vector<Digraph::Node> nodes() const;  ///< all leaves, in tree order
};

/// Why a graph is not series-parallel: the edge or path `from` -> `to` crosses from one branch to
/// another, since `from` also leads elsewhere and `to` is also reached from elsewhere, and neither
/// rule can remove it.
struct NotSeriesParallel {
  Digraph::Node from = -1;
  Digraph::Node to = -1;
  std::vector<Digraph::Node> witness;  ///< nodes of the irreducible rest, ascending
};

/// Deepest nesting of series in parallel in series ... that a decomposition may have, so that trees
/// can be walked by recursion.
inline constexpr int k_deepest_series_parallel = 1000;

/// Several sources or sinks are joined by a virtual one. The graph must be acyclic, not empty. A
/// graph whose tree would be deeper than k_deepest_series_parallel is answered as not
/// series-parallel, the witness being all its nodes.
std::variant<SeriesParallelTree, NotSeriesParallel> decompose_series_parallel(const Digraph& graph);

/// "(0 (1 | 2 3) 4)": series as blanks, parallel as bars, an empty child as "-".
std::string to_text(const SeriesParallelTree& tree);

}  // namespace pipegraph
