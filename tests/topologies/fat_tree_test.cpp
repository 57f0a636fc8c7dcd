#include "topologies/fat_tree.h"

#include <gtest/gtest.h>

#include <set>

#include "tests/topologies/fabric_checks.h"
#include "tests/topologies/route_checks.h"

namespace pipegraph {
namespace {

bool any(std::int64_t /*from*/, std::int64_t /*to*/, const Link& /*link*/) { return true; }

std::vector<std::string> names(const FatTree& tree, std::int64_t from, std::int64_t to) {
  const std::vector<Link> links = tree.links();
  std::vector<std::string> all;
  for (std::int64_t link : tree.route(from, to))
    all.push_back(links[static_cast<std::size_t>(link)].name);
  return all;
}

TEST(FatTree, PortsOfALeafMeetThere) {
  const FatTree tree(8, {.ports_per_leaf = 4});
  EXPECT_TRUE(names(tree, 0, 3).empty());
  EXPECT_EQ(tree.switch_of(3), "leaf0");
  EXPECT_EQ(tree.switch_of(4), "leaf1");
}

TEST(FatTree, DestinationChoosesTheSpine) {
  // 2 leaves of 4 ports, taper 2: 2 spines. Port 5 goes by spine 5 mod 2 = 1, port 6 by spine 0.
  const FatTree tree(8, {.ports_per_leaf = 4, .leaf_taper = 2.0});
  EXPECT_EQ(names(tree, 0, 5), (std::vector<std::string>{"leaf0->spine1", "spine1->leaf1"}));
  EXPECT_EQ(names(tree, 3, 6), (std::vector<std::string>{"leaf0->spine0", "spine0->leaf1"}));
  // 2 leaves x 2 cables x 2 directions
  EXPECT_EQ(tree.link_count(), 8);
}

TEST(FatTree, WithoutTaperAllPortsOfALeafHaveASpineOfTheirOwn) {
  const FatTree tree(12, {.ports_per_leaf = 4});
  std::set<std::int64_t> first;
  for (std::int64_t to = 4; to < 8; ++to) first.insert(tree.route(to - 4, to).front());
  EXPECT_EQ(first.size(), 4U);
}

TEST(FatTree, ThirdLevelJoinsPods) {
  // 16 ports, leaves of 2, pods of 2 leaves: 8 leaves, 4 pods of 2 spines, a spine has 2 cables up:
  // cores 0..3. Port 0 to port 15: spine 15 mod 2 = 1 of pod 0, then cable 15/2 mod 2 = 1 up to
  // core 1 + 1 x 2 = 3, down to spine 1 of pod 3 (number 3 x 2 + 1 = 7), to leaf 7.
  const FatTree tree(16, {.ports_per_leaf = 2, .leaves_per_pod = 2});
  EXPECT_EQ(names(tree, 0, 15), (std::vector<std::string>{"leaf0->spine1", "spine1->core3",
                                                          "core3->spine7", "spine7->leaf7"}));
  // 8 leaves x 2 + 8 spines x 2 cables, both directions
  EXPECT_EQ(tree.link_count(), 64);
}

TEST(FatTree, RoutesAreShortest) {
  test::expect_shortest_routes(FatTree(7, {.ports_per_leaf = 3}), any);
  test::expect_shortest_routes(FatTree(16, {.ports_per_leaf = 4, .leaf_taper = 4.0}), any);
  test::expect_shortest_routes(FatTree(23, {.ports_per_leaf = 2, .leaves_per_pod = 3}), any);
  test::expect_shortest_routes(
      FatTree(24,
              {.ports_per_leaf = 4, .leaves_per_pod = 2, .leaf_taper = 2.0, .spine_taper = 2.0}),
      any);
}

TEST(FatTree, TaperMustLeaveWholeCables) {
  EXPECT_FALSE(find_problem(FatTreeOptions{.ports_per_leaf = 4, .leaf_taper = 4.0 / 3.0}));
  EXPECT_TRUE(find_problem(FatTreeOptions{.ports_per_leaf = 4, .leaf_taper = 3.0}));
  EXPECT_TRUE(find_problem(FatTreeOptions{.ports_per_leaf = 4, .leaf_taper = 8.0}));
  EXPECT_TRUE(find_problem(FatTreeOptions{.ports_per_leaf = 4, .leaf_taper = 0.5}));
  EXPECT_TRUE(find_problem(FatTreeOptions{.ports_per_leaf = 4, .spine_taper = 2.0}));
}

}  // namespace
}  // namespace pipegraph
