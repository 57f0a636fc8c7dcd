// A limit on receive slots: recv k of a channel waits on the last consumer of recv k - n.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "core/program/text.h"
#include "tests/core/program/plans.h"

namespace pipegraph {
namespace {

using test::find_one;
using test::make_plan;
using test::plan_of;
using test::TinyPlan;
using test::waits_of;
using testing::ElementsAre;
using testing::IsEmpty;

TEST(ReceiveSlots, EachRecvWaitsForTheLastConsumerOfTheOneSlotsBefore) {
  const TinyPlan plan =
      plan_of(test::chain_graph(2), 4, {.schedule = "gpipe", .lowering = {.receive_slots = 2}});
  const auto waits = [&](const std::string& token) {
    return waits_of(plan.program, find_one(plan.program, DeviceId{1}, token));
  };
  EXPECT_THAT(waits("recv F0[0,1)<d0"), IsEmpty());
  EXPECT_THAT(waits("recv F0[1,2)<d0"), IsEmpty());
  EXPECT_THAT(waits("recv F0[2,3)<d0"), ElementsAre("F1[0,1)"));
  EXPECT_THAT(waits("recv F0[3,4)<d0"), ElementsAre("F1[1,2)"));
  EXPECT_EQ(plan.validated().verdict, Verdict::Strict);
  EXPECT_THAT(plan.validated().problems, IsEmpty());
}

TEST(ReceiveSlots, EnoughOfThemChangeNothing) {
  const TinyPlan limited = plan_of(test::chain_graph(3), 6, {.lowering = {.receive_slots = 6}});
  EXPECT_EQ(limited.program, plan_of(test::chain_graph(3), 6).program);
}

TEST(ReceiveSlots, OneSlotStaysStrictOnAChain) {
  for (const std::string schedule : {"1f1b", "gpipe", "kfkb"})
    for (const bool overlap : {true, false}) {
      const TinyPlan plan =
          plan_of(test::chain_graph(4), 6,
                  {.schedule = schedule, .lowering = {.receive_slots = 1, .overlap = overlap}});
      EXPECT_EQ(plan.validated().verdict, Verdict::Strict) << plan.validated().cycle_text;
      EXPECT_THAT(plan.validated().problems, IsEmpty());
    }
}

TEST(ReceiveSlots, FewerThanAPassNeedsAtOnceAreADeadlock) {
  // A pass of 4 samples needs four messages of one sample; the second has no slot before it ran.
  const ComputationGraph graph = test::chain_graph(2);
  const Workload workload = test::tiny_workload(graph, test::ideal_cluster(2), {.mini_batch = 4});
  const TinyPlan plan = make_plan(workload, test::stage_per_operator(graph, {1, 4}),
                                  {.lowering = {.receive_slots = 1}});
  const ValidationReport report = plan.validated();
  EXPECT_EQ(report.verdict, Verdict::Deadlock);
  EXPECT_THAT(report.cycle_text, testing::HasSubstr("F1[0,4) on d1"));
  EXPECT_THAT(waits_of(plan.program, find_one(plan.program, DeviceId{1}, "recv F0[1,2)<d0")),
              ElementsAre("F1[0,4)"));
}

}  // namespace
}  // namespace pipegraph
