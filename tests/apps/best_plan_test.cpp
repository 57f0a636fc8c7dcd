#include "apps/best_plan.h"

#include <gtest/gtest.h>

namespace pipegraph {
namespace {

/// Of two devices, the second of which idles for `idle` and communicates for the rest.
PlanResult plan(const std::string& name, Seconds compute, Seconds idle, Seconds whole) {
  PlanResult result;
  result.name = name;
  Metrics& metrics = result.metrics.emplace();
  metrics.iteration_time = whole;
  metrics.devices = {{DeviceId{0}, whole, Seconds{0}, Seconds{0}},
                     {DeviceId{1}, compute, whole - compute - idle, idle}};
  return result;
}

TEST(BestPlan, IsExplainedByWhatTheAverageDeviceSaves) {
  // On the first device 2 s less computing. On the second 4 - 5, communication 2 - 1, idle 2 - 4.
  const PointResult point{{},
                          {plan("slow", Seconds{5}, Seconds{4}, Seconds{10}),
                           plan("fast", Seconds{4}, Seconds{2}, Seconds{8})}};
  EXPECT_EQ(best_plan_text(point),
            "best: fast, 20.0 % less time than slow; a device spends 1.5 s less computing, 500 ms "
            "more only communicating, 1 s less idle");
}

TEST(BestPlan, IsNotExplainedWithoutATimeline) {
  PlanResult slow = plan("slow", Seconds{5}, Seconds{4}, Seconds{10});
  PlanResult fast = plan("fast", Seconds{4}, Seconds{2}, Seconds{8});
  slow.metrics->devices.clear();
  fast.metrics->devices.clear();
  EXPECT_EQ(best_plan_text({{}, {slow, fast}}), "best: fast, 20.0 % less time than slow");
}

TEST(BestPlan, IsNotNamedByTimesThatProveNothing) {
  PlanResult slow = plan("slow", Seconds{5}, Seconds{4}, Seconds{10});
  slow.measured.emplace().no_verdict = "the machine was disturbed";
  EXPECT_EQ(best_plan_text({{}, {slow, plan("fast", Seconds{4}, Seconds{2}, Seconds{8})}}), "");
}

TEST(BestPlan, MayBeTwo) {
  const PlanResult one = plan("one", Seconds{1}, Seconds{1}, Seconds{2});
  const PlanResult other = plan("other", Seconds{1}, Seconds{1}, Seconds{2});
  EXPECT_EQ(best_plan_text({{}, {one, other}}), "best: one and other, 2 s each");
}

TEST(BestPlan, MayBeAllThatDifferByLessThanIsShown) {
  // 0.04 % are shown as 0.0 %, 0.1 % are not.
  const auto taking = [](const std::string& name, double seconds) {
    return plan(name, Seconds{1}, Seconds{1}, Seconds{seconds});
  };
  EXPECT_EQ(best_plan_text({{}, {taking("c", 2.002), taking("b", 2.0008), taking("a", 2.0)}}),
            "best: a and b, 2 s each");
  EXPECT_EQ(best_plan_text({{}, {taking("c", 2.0), taking("b", 2.0), taking("a", 2.0)}}),
            "best: c, b and a, 2 s each");
}

TEST(BestPlan, IsNotNamedAmongFewerThanTwo) {
  PlanResult failed = plan("failed", Seconds{1}, Seconds{1}, Seconds{2});
  failed.status = PlanStatus::OutOfMemory;
  EXPECT_EQ(best_plan_text({{}, {plan("one", Seconds{1}, Seconds{1}, Seconds{2}), failed}}), "");
}

}  // namespace
}  // namespace pipegraph
