// Swept maps and lists are named by what differs in them.
#include "apps/swept_differences.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace pipegraph {
namespace {

using ::testing::ElementsAre;
using ::testing::Pair;

using Keys = std::vector<std::pair<std::string, PointValue>>;

/// The keys of points that sweep `key` over these texts.
std::vector<Keys> simplified(const std::string& key, const std::vector<std::string>& texts) {
  std::vector<PointResult> points;
  for (const std::string& text : texts) points.push_back({.point = {{key, text}}, .plans = {}});
  std::vector<Keys> keys;
  for (PointResult& point : by_difference(std::move(points))) keys.push_back(point.point);
  return keys;
}

TEST(SweptDifferences, OneValueThatDiffersGetsItsPath) {
  EXPECT_THAT(simplified("cluster.nics", {R"({"per_node":1,"bandwidth":"25 Gb/s"})",
                                          R"({"per_node":1,"bandwidth":"100 Gb/s"})"}),
              ElementsAre(ElementsAre(Pair("cluster.nics.bandwidth", PointValue("25 Gb/s"))),
                          ElementsAre(Pair("cluster.nics.bandwidth", PointValue("100 Gb/s")))));
  EXPECT_THAT(simplified("l", {R"([{"a":1,"m":"*"}])", R"([{"a":2,"m":"*"}])"}).front(),
              ElementsAre(Pair("l[0].a", PointValue("1"))));
}

TEST(SweptDifferences, OfSeveralEachIsNamed) {
  EXPECT_THAT(simplified("p", {R"({"k":1,"b":4})", R"({"k":2,"b":8})", "{}"}),
              ElementsAre(ElementsAre(Pair("p", PointValue("k = 1, b = 4"))),
                          ElementsAre(Pair("p", PointValue("k = 2, b = 8"))),
                          ElementsAre(Pair("p", PointValue("none")))));
}

TEST(SweptDifferences, WhatIsNoMapOrListEverywhereStays) {
  for (const std::vector<std::string>& texts :
       {std::vector<std::string>{"{}", "a"}, {"{", "{"}, {"[1]", "[1]"}}) {
    const std::vector<Keys> keys = simplified("x", texts);
    for (std::size_t i = 0; i < texts.size(); ++i)
      EXPECT_THAT(keys[i], ElementsAre(Pair("x", PointValue(texts[i]))));
  }
}

}  // namespace
}  // namespace pipegraph
