// What the table of results says beside a simulated time.
#include "apps/result_table.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace pipegraph {
namespace {

using ::testing::HasSubstr;
using ::testing::Not;

/// A plan with a bound of 2 s on its own objective, which is at 2.2 s, simulated in 3 s.
PlanResult bounded(const std::string& objective) {
  PlanResult plan;
  plan.name = "p";
  plan.objective = Objective{.name = objective, .value = 2.2};
  plan.search = SearchReport{};
  plan.search->lower_bound_s = 2.0;
  plan.search->gap = 0.1;
  plan.metrics = Metrics{};
  plan.metrics->iteration_time = Seconds{3};
  return plan;
}

std::string table_of(const PlanResult& plan) {
  return result_text({PointResult{.point = {}, .plans = {plan}}});
}

TEST(ResultTable, SetsTheTimeItShowsAgainstABoundOnIterations) {
  EXPECT_THAT(table_of(bounded("iteration_time_s")), HasSubstr(" 50.0 %"));
}

TEST(ResultTable, HasNoNegativeZero) {
  PlanResult plan = bounded("iteration_time_s");
  plan.metrics->bubble_fraction = -1e-17;
  EXPECT_THAT(table_of(plan), Not(HasSubstr("-0.0")));
}

TEST(ResultTable, SaysNothingOfABoundOnSomethingElse) {
  const std::string table = table_of(bounded("max_time_per_sample_s"));
  EXPECT_THAT(table, Not(HasSubstr("50.0 %")));
  EXPECT_THAT(table, Not(HasSubstr("10.0 %")));
}

}  // namespace
}  // namespace pipegraph
