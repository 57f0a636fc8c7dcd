// Properties of the lowering on random plans.
#include "tests/core/program/random_plans.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <map>

#include "core/program/text.h"
#include "tests/core/program/data_flow_oracle.h"

namespace pipegraph {
namespace {

using test::random_plan;
using test::TinyPlan;
using testing::IsEmpty;

constexpr int k_rounds = 400;

bool relays(const TinyPlan& plan) {
  for (const StageEdge& edge : plan.stages.transfers())
    for (const OperatorId tensor : edge.tensors)
      if (plan.stages.stage_of(tensor) != edge.from) return true;
  return false;
}

TEST(RandomPlans, AreStrictAndWithoutProblems) {
  std::mt19937 random(1);
  int lowered = 0;
  for (int round = 0; round < k_rounds; ++round) {
    const auto plan = random_plan(random);
    if (!plan) continue;
    ++lowered;
    const ValidationReport report = plan->validated();
    ASSERT_EQ(report.verdict, Verdict::Strict) << to_text(plan->program) << report.cycle_text;
    ASSERT_THAT(report.problems, IsEmpty()) << to_text(plan->program);
  }
  EXPECT_GT(lowered, k_rounds / 2);
}

TEST(RandomPlans, OfTheSchedulesThatSplitOrDealOutAreStrictWhateverTheNumberOfMicroBatches) {
  std::mt19937 random(5);
  for (const std::string schedule : {"zb1p", "interleaved_1f1b"}) {
    int lowered = 0, ragged = 0;
    for (int round = 0; round < k_rounds; ++round) {
      const auto plan = random_plan(random, {.schedules = {schedule}});
      if (!plan) continue;
      ++lowered;
      const Stage& stage = plan->stages.stages().front();
      ragged += plan->workload.training.mini_batch % stage.micro_batch != 0 ? 1 : 0;
      const ValidationReport report = plan->validated();
      ASSERT_EQ(report.verdict, Verdict::Strict) << to_text(plan->program) << report.cycle_text;
      ASSERT_THAT(report.problems, IsEmpty()) << to_text(plan->program);
    }
    EXPECT_GT(lowered, k_rounds / 3) << schedule;
    EXPECT_GT(ragged, k_rounds / 10) << schedule;
  }
}

TEST(RandomPlans, AddGradientsUpInTheOrderOfMicroBatches) {
  std::mt19937 random(6);
  int compared = 0;
  for (int round = 0; round < k_rounds; ++round) {
    const auto plan = random_plan(random);
    if (!plan) continue;
    std::map<std::pair<StageId, DeviceId>, std::int32_t> last;  // sample added up so far
    for (const Instruction& i : plan->program.instructions()) {
      if (i.kind != InstructionKind::Backward && i.kind != InstructionKind::BackwardWeight)
        continue;
      const auto [entry, fresh] = last.try_emplace({i.stage, i.device}, i.samples.first);
      if (fresh) continue;
      ++compared;
      ASSERT_LT(entry->second, i.samples.first) << to_text(plan->program);
      entry->second = i.samples.first;
    }
  }
  EXPECT_GT(compared, 10 * k_rounds);
}

TEST(RandomPlans, ProvideEveryOperatorWithEverySampleOfItsInputs) {
  std::mt19937 random(2);
  int checked = 0;
  for (int round = 0; round < k_rounds; ++round) {
    const auto plan = random_plan(random);
    if (!plan || relays(*plan)) continue;
    ++checked;
    ASSERT_EQ(test::missing_data(*plan), "") << to_text(plan->program);
  }
  EXPECT_GT(checked, k_rounds / 2);
}

TEST(RandomPlans, AreTheSameAfterARoundTripThroughText) {
  std::mt19937 random(3);
  for (int round = 0; round < 50; ++round) {
    const auto plan = random_plan(random);
    if (!plan) continue;
    ASSERT_EQ(parse_program(to_text(plan->program), "text"), plan->program);
  }
}

TEST(RandomPlans, WithFewReceiveSlotsAreStrictOrDeadlocked) {
  // Held-back messages keep one global order unless a pass needs more slots than there are.
  std::mt19937 random(4);
  int strict = 0;
  for (int round = 0; round < k_rounds; ++round) {
    const auto plan = random_plan(random, {.receive_slots = 1 + static_cast<int>(random() % 3)});
    if (!plan) continue;
    const ValidationReport report = plan->validated();
    ASSERT_THAT(report.problems, IsEmpty()) << to_text(plan->program);
    ASSERT_TRUE(report.verdict == Verdict::Strict || report.verdict == Verdict::Deadlock)
        << to_text(report.verdict) << report.cycle_text << "\n"
        << to_text(plan->program);
    strict += report.verdict == Verdict::Strict ? 1 : 0;
  }
  EXPECT_GT(strict, k_rounds / 4);
}

}  // namespace
}  // namespace pipegraph
