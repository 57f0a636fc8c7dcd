#include "topologies/torus.h"

#include <gtest/gtest.h>

#include "tests/topologies/fabric_checks.h"

namespace pipegraph {
namespace {

bool any(std::int64_t /*from*/, std::int64_t /*to*/, const Link& /*link*/) { return true; }

std::vector<std::string> names(const Torus& torus, std::int64_t from, std::int64_t to) {
  const std::vector<Link> links = torus.links();
  std::vector<std::string> all;
  for (std::int64_t link : torus.route(from, to))
    all.push_back(links[static_cast<std::size_t>(link)].name);
  return all;
}

TEST(Torus, RingGoesTheShorterWayRound) {
  const Torus ring({.dimensions = {5}});
  EXPECT_EQ(names(ring, 0, 2),
            (std::vector<std::string>{"torus(0)->torus(1)", "torus(1)->torus(2)"}));
  EXPECT_EQ(names(ring, 0, 3),
            (std::vector<std::string>{"torus(0)->torus(4)", "torus(4)->torus(3)"}));
}

TEST(Torus, HalfWayRoundGoesUp) {
  EXPECT_EQ(names(Torus({.dimensions = {4}}), 3, 1),
            (std::vector<std::string>{"torus(3)->torus(0)", "torus(0)->torus(1)"}));
}

TEST(Torus, FirstDimensionFirst) {
  // Points of a 3 x 3 torus: 4 is (1, 1).
  EXPECT_EQ(names(Torus({.dimensions = {3, 3}}), 0, 4),
            (std::vector<std::string>{"torus(0,0)->torus(1,0)", "torus(1,0)->torus(1,1)"}));
}

TEST(Torus, RoutesAreShortest) {
  for (const std::vector<std::int64_t>& dimensions : std::vector<std::vector<std::int64_t>>{
           {1}, {2}, {7}, {2, 2, 2}, {4, 3}, {1, 5, 2}, {3, 4, 2}})
    test::expect_shortest_routes(Torus({.dimensions = dimensions}), any);
  test::expect_shortest_routes(Torus({.dimensions = {3, 2}, .ports_per_switch = 2}), any);
}

TEST(Torus, CountsLinks) {
  EXPECT_EQ(Torus({.dimensions = {4, 4, 4}}).link_count(), 64 * 6);
  EXPECT_EQ(Torus({.dimensions = {2, 1}}).link_count(), 2);
}

TEST(Torus, TooManyPointsAreNone) {
  EXPECT_EQ(points({.dimensions = {1 << 20, 1 << 20, 1 << 20, 1 << 20}}), 0);
  EXPECT_EQ(points({.dimensions = {1 << 10, 1 << 10}}), 1 << 20);
}

}  // namespace
}  // namespace pipegraph
