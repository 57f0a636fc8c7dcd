#include "tests/support/tiny_graphs.h"

#include <gtest/gtest.h>

#include <variant>

#include "core/graph/series_parallel.h"

namespace pipegraph::test {
namespace {

std::string shape(const ComputationGraph& graph) {
  const auto answer = decompose_series_parallel(graph.edges());
  const auto* tree = std::get_if<SeriesParallelTree>(&answer);
  return tree ? to_text(*tree) : "not series-parallel";
}

TEST(TinyGraphs, HaveTheShapesTheyPromise) {
  EXPECT_EQ(shape(chain_graph(3)), "(0 1 2)");
  EXPECT_EQ(shape(diamond_graph()), "(0 (1 | 2) 3)");
  EXPECT_EQ(shape(fork_join_graph(2, 2)), "(0 (1 2 | 3 4) 5)");
  EXPECT_EQ(shape(two_branches_graph(2)), "((0 | 2 3) 1)");
  EXPECT_EQ(shape(crossing_skips_graph()), "not series-parallel");
}

TEST(TinyGraphs, CarryTheCostsGiven) {
  const ComputationGraph graph = chain_graph(2, Seconds{3}, Seconds{4}, Bytes{5});
  EXPECT_EQ(graph.at({1}).forward.time, Seconds{3});
  EXPECT_EQ(graph.at({1}).backward.time, Seconds{4});
  EXPECT_EQ(graph.at({1}).output, Bytes{5});
  EXPECT_EQ(graph.at({1}).name, "s1");
}

}  // namespace
}  // namespace pipegraph::test
