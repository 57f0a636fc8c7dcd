// The searches against the straightforward programmes that they are measured against
// (bench/baselines), on small forms of the networks of those measurements.
#include <gtest/gtest.h>

#include "bench/baselines/planner_cases.h"
#include "bench/baselines/stage_table.h"
#include "core/planners/linearise.h"
#include "core/planners/search/optimise.h"
#include "core/planners/search_input.h"
#include "models/table.h"

namespace pipegraph {
namespace {

struct Network {
  const char* name;
  const char* family;
  ParameterValues parameters;
};

class BaselineProgrammes : public testing::TestWithParam<Network> {
 protected:
  BaselineProgrammes()
      : workload_(bench::on_summit(build_family(GetParam().family, GetParam().parameters),
                                   {.devices = 6, .samples_per_device = 4})),
        input_(search_input(workload_)) {
    // Tight: one stage alone cannot hold a whole mini-batch.
    double fixed = 0.0;
    double saved = 0.0;
    for (const double bytes : input_.problem.fixed) fixed += bytes;
    for (const double bytes : input_.problem.saved) saved += bytes;
    input_.problem.memory = 0.5 * (fixed + saved * workload_.training.mini_batch / 6.0);
  }

  std::optional<double> search(const IdealFamily& family, InFlightRule in_flight, int micro_batch) {
    SearchProblem problem = input_.problem;
    problem.in_flight = in_flight;
    const PairTable pairs(problem, family);
    const BatchCosts costs = batch_costs(workload_, input_, micro_batch);
    Prober prober(problem, pairs, costs);
    const auto plan = least_bottleneck(problem, costs, prober).plan;
    if (!plan) return std::nullopt;
    return plan->max_time_per_sample;
  }

  std::optional<double> table(const IdealFamily& family, int micro_batch) {
    SearchProblem problem = input_.problem;
    problem.in_flight = InFlightRule::Position;
    return bench::table_bottleneck(problem, PairTable(problem, family),
                                   batch_costs(workload_, input_, micro_batch));
  }

  Workload workload_;
  SearchInput input_;
};

TEST_P(BaselineProgrammes, OverChainsFindWhatTheSearchFinds) {
  const Digraph& graph = input_.problem.graph;
  const IdealFamily chain = prefixes(graph, branch_by_branch(graph));
  for (const int size : {1, 2, 4, 24}) {
    const auto slow = table(chain, size);
    const auto fast = search(chain, InFlightRule::Position, size);
    ASSERT_EQ(slow.has_value(), fast.has_value()) << size;
    if (!slow) continue;
    EXPECT_NEAR(*fast, *slow, 2e-9 * *slow) << size;
  }
}

TEST_P(BaselineProgrammes, OverDownsetsFindWhatTheSearchFindsAndNothingBetterThanGraphs) {
  const IdealFamily downsets = *all_ideals(input_.problem.graph, 2'000);
  int found = 0;
  for (const int size : {1, 4, 24}) {
    const auto slow = table(downsets, size);
    const auto fast = search(downsets, InFlightRule::Position, size);
    ASSERT_EQ(slow.has_value(), fast.has_value()) << size;
    if (!slow) continue;
    ++found;
    EXPECT_NEAR(*fast, *slow, 2e-9 * *slow) << size;
    EXPECT_LE(search(downsets, InFlightRule::LongestPath, size).value(), *slow * (1 + 2e-9));
  }
  EXPECT_GT(found, 0);
}

INSTANTIATE_TEST_SUITE_P(
    , BaselineProgrammes,
    testing::Values(Network{"mmt", "multimodal_transformer", {{"branches", 2}, {"layers", 1}}},
                    Network{"candle_uno", "candle_uno", {{"branches", 3}}},
                    Network{"case_study", "two_branch_transformer", {{"layers", 2}}}),
    [](const auto& network) { return std::string(network.param.name); });

}  // namespace
}  // namespace pipegraph
