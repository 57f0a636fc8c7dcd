#include "exec/passes/step_builder.h"

#include <gtest/gtest.h>

#include "exec/passes/tensor_places.h"

namespace pipegraph {
namespace {

constexpr Bytes k_line{64};
const Place k_elsewhere{Area::Arena, Bytes{0}};

const CopyStep& copy_at(const CompiledSteps& steps, std::size_t n) {
  return std::get<CopyStep>(steps.steps.at(n));
}

TEST(StepBuilder, GivesScratchToOthersOnceNothingMentionsIt) {
  StepBuilder builder;
  const Place first = builder.scratch(k_line);
  const Place second = builder.scratch(k_line);
  builder.copy(k_elsewhere, first, k_line);
  builder.copy(first, k_elsewhere, k_line);
  builder.copy(k_elsewhere, second, k_line);
  CompiledSteps steps;
  EXPECT_EQ(std::move(builder).finish(steps).scratch, k_line);
  EXPECT_EQ(copy_at(steps, 0).to, copy_at(steps, 2).to);
}

TEST(StepBuilder, KeepsScratchApartWithinAStep) {
  StepBuilder builder;
  const Place first = builder.scratch(k_line);
  const Place second = builder.scratch(k_line);
  builder.copy(first, second, k_line);
  CompiledSteps steps;
  EXPECT_EQ(std::move(builder).finish(steps).scratch, 2 * k_line);
  EXPECT_NE(copy_at(steps, 0).from, copy_at(steps, 0).to);
  EXPECT_EQ(copy_at(steps, 0).to.area(), Area::Scratch);
}

TEST(StepBuilder, TakesNoRoomForScratchThatNothingMentions) {
  StepBuilder builder;
  builder.scratch(Bytes{1'000'000});
  CompiledSteps steps;
  EXPECT_EQ(std::move(builder).finish(steps).scratch, Bytes{0});
}

TEST(StepBuilder, KeepsOffsetsWithinAChunk) {
  StepBuilder builder;
  const Place chunk = builder.scratch(2 * k_line);
  builder.copy(chunk + Bytes{12}, k_elsewhere, Bytes{4});
  CompiledSteps steps;
  std::move(builder).finish(steps);
  EXPECT_EQ(copy_at(steps, 0).from, Place(Area::Scratch, Bytes{12}));
}

TEST(StepBuilder, AppendsPassesWithTheirOwnInputs) {
  CompiledSteps steps;
  for (const std::uint64_t offset : {0, 4}) {
    StepBuilder builder;
    const Place input{Area::Arena, Bytes{offset}};
    builder.operate({}, std::span(&input, 1));
    const StepRange range = std::move(builder).finish(steps).range;
    ASSERT_EQ(steps.of(range).size(), 1u);
    const auto& step = std::get<OperatorStep>(steps.of(range).front());
    EXPECT_EQ(steps.places[step.inputs], input);
  }
}

TEST(Segments, AreCutToTheSamplesAndJoinedWhereTheyTouch) {
  const auto at = [](std::uint64_t offset) { return Place(Area::Arena, Bytes{offset}); };
  // Samples of 4 bytes: [2, 4) lies right behind [0, 2), [4, 8) elsewhere.
  const std::vector<Segment> segments{{{2, 4}, at(8)}, {{4, 8}, at(100)}, {{0, 2}, at(0)}};
  const std::vector<Segment> result = cut(segments, {1, 6}, Bytes{4});
  ASSERT_EQ(result.size(), 2u);
  EXPECT_EQ(result[0].samples, (MicroBatch{1, 4}));
  EXPECT_EQ(result[0].at, at(4));
  EXPECT_EQ(result[1].samples, (MicroBatch{4, 6}));
  EXPECT_EQ(result[1].at, at(100));
}

}  // namespace
}  // namespace pipegraph
