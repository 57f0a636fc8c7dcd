#include "apps/point_text.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace pipegraph {
namespace {

using testing::ElementsAre;

PointResult at(std::int64_t nodes) { return {{{"cluster.nodes", PointValue{nodes}}}, {}}; }

TEST(PointText, NamesKeysAndTheFilesOfPaths) {
  const PointResult point{{{"model.file", PointValue{std::string("a/b.yaml")}},
                           {"cluster.nodes", PointValue{std::int64_t{2}}}},
                          {}};
  EXPECT_THAT(point_values(point), ElementsAre("b.yaml", "2"));
  EXPECT_EQ(point_name(point), "model.file=b.yaml, cluster.nodes=2");
  EXPECT_EQ(point_name({}), "");
}

TEST(PointNotes, SayWhereUnlessItIsEverywhere) {
  PointNotes notes;
  for (const std::int64_t nodes : {1, 2, 4}) {
    notes.add("everywhere", at(nodes));
    if (nodes > 1) notes.add("in two places", at(nodes));
  }
  notes.add("in one place", at(4));
  notes.add("in one place", at(4));
  EXPECT_THAT(notes.texts(3), ElementsAre("everywhere", "in one place (cluster.nodes=4)",
                                          "in two places (cluster.nodes=2 and 1 other point)"));
}

TEST(PointNotes, NameNoPointWithoutASweep) {
  PointNotes notes;
  notes.add("once", {});
  EXPECT_THAT(notes.texts(1), ElementsAre("once"));
}

}  // namespace
}  // namespace pipegraph
