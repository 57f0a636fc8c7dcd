#include "core/run/rendezvous.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "core/base/errors.h"
#include "tests/support/program_sketch.h"

namespace pipegraph {
namespace {

using test::ProgramSketch;

TEST(Rendezvous, TransferNeedsBothHalvesInEitherOrder) {
  ProgramSketch sketch(2);
  const auto first = sketch.transfer({0, 1}, 8);
  const auto second = sketch.transfer({0, 1}, 8);
  const Program program = std::move(sketch).build();
  Rendezvous rendezvous(program);
  EXPECT_FALSE(rendezvous.post_transfer(first.send));
  const auto met = rendezvous.post_transfer(first.recv);
  ASSERT_TRUE(met);
  EXPECT_EQ(met->send, first.send);
  EXPECT_EQ(met->recv, first.recv);
  EXPECT_FALSE(rendezvous.post_transfer(second.recv));
  EXPECT_TRUE(rendezvous.post_transfer(second.send));
}

TEST(Rendezvous, HalvesThatDifferInBytesAreRefused) {
  ProgramSketch sketch(2);
  sketch.send({0, 1}, 8);
  sketch.recv({0, 1}, 9);
  const Program program = std::move(sketch).build();
  EXPECT_THROW(Rendezvous{program}, InternalError);
}

TEST(Rendezvous, AHalfIsPostedOnce) {
  ProgramSketch sketch(2);
  const auto moved = sketch.transfer({0, 1}, 8);
  const Program program = std::move(sketch).build();
  Rendezvous rendezvous(program);
  rendezvous.post_transfer(moved.send);
  EXPECT_THROW(rendezvous.post_transfer(moved.send), InternalError);
}

TEST(Rendezvous, AllReduceIsCompleteAtItsLastArrivalInGroupOrder) {
  ProgramSketch sketch(3);
  const std::vector<int> group{2, 0, 1};
  const auto one = sketch.arrive(group, 1, 8);
  const auto zero = sketch.arrive(group, 0, 8);
  const auto two = sketch.arrive(group, 2, 8);
  const Program program = std::move(sketch).build();
  Rendezvous rendezvous(program);
  EXPECT_TRUE(rendezvous.post_all_reduce(zero).empty());
  EXPECT_TRUE(rendezvous.post_all_reduce(two).empty());
  EXPECT_THAT(rendezvous.post_all_reduce(one), testing::ElementsAre(two, zero, one));
}

TEST(Rendezvous, AGroupWithAMissingMemberNeverCompletes) {
  ProgramSketch sketch(2);
  const auto only = sketch.arrive({0, 1}, 0, 8);
  const Program program = std::move(sketch).build();
  Rendezvous rendezvous(program);
  EXPECT_TRUE(rendezvous.post_all_reduce(only).empty());
}

}  // namespace
}  // namespace pipegraph
