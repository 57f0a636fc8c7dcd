#include "core/report/link_use.h"

#include <gtest/gtest.h>

#include "tests/support/program_sketch.h"
#include "tests/support/tiny_clusters.h"

namespace pipegraph {
namespace {

using test::ProgramSketch;

TEST(LinkUse, BytesAndUtilisationOfTheLinksCrossed) {
  // Links of 10 B/s, makespan 8 s: 80 B are full use. Device 0 sends 20 B to 1 and 40 B to 2.
  ProgramSketch sketch(3);
  sketch.transfer({0, 1}, 20);
  sketch.transfer({0, 2}, 40);
  const Program program = std::move(sketch).build();
  const Topology cluster = test::ported_cluster(3, Seconds{0}, {10.0});
  const auto used = link_use(program, cluster, Seconds{8});
  ASSERT_EQ(used.size(), 3U);
  EXPECT_EQ(cluster.link(used[0].link).name, "gpu0->switch");
  EXPECT_DOUBLE_EQ(used[0].bytes, 60.0);
  EXPECT_DOUBLE_EQ(used[0].utilisation, 0.75);
  EXPECT_EQ(cluster.link(used[1].link).name, "switch->gpu1");
  EXPECT_DOUBLE_EQ(used[1].utilisation, 0.25);
  EXPECT_DOUBLE_EQ(used[2].utilisation, 0.5);
}

TEST(LinkUse, RingMovesTwiceAllButOneShare) {
  // 2 (d - 1) / d x n = 2 x 3 / 4 x 100 B over every link in use.
  ProgramSketch sketch(4);
  sketch.all_reduce({0, 1, 2, 3}, 100);
  const Program program = std::move(sketch).build();
  const auto used = link_use(program, test::ported_cluster(4, Seconds{0}, {1e9}), Seconds{1},
                             {.algorithm = "ring"});
  ASSERT_EQ(used.size(), 8U);
  for (const LinkUse& use : used) EXPECT_DOUBLE_EQ(use.bytes, 150.0);
}

TEST(LinkUse, ALinkWithoutLimitIsNeverBusy) {
  ProgramSketch sketch(2);
  sketch.transfer({0, 1}, 20);
  const Program program = std::move(sketch).build();
  const auto used = link_use(program, test::ideal_cluster(2), Seconds{1});
  ASSERT_EQ(used.size(), 2U);
  EXPECT_EQ(used[0].utilisation, 0.0);
}

TEST(LinkUse, KnowsWhetherAnythingMoves) {
  ProgramSketch alone(1);
  alone.compute(0, 1);
  alone.all_reduce({0}, 100);
  EXPECT_TRUE(moves_nothing(std::move(alone).build()));
  ProgramSketch pair(2);
  pair.transfer({0, 1}, 0);  // pays latency
  EXPECT_FALSE(moves_nothing(std::move(pair).build()));
}

}  // namespace
}  // namespace pipegraph
