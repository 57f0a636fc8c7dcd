// The optima of the public tools on their own graphs, in their own objective and units.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <filesystem>

#include "core/planners/chain_input.h"
#include "core/planners/evaluate.h"
#include "core/planners/layer_input.h"
#include "core/planners/pipedream.h"
#include "core/planners/piper.h"
#include "core/planners/search/chain_search.h"
#include "core/planners/search/downset_search.h"
#include "core/planners/search/family.h"
#include "core/report/busiest_device.h"
#include "models/importers/pipedream_profile.h"
#include "models/importers/piper_json.h"
#include "tests/support/antichain_programme.h"
#include "tests/support/tiny_clusters.h"
#include "tests/support/tiny_stages.h"
#include "tests/support/wired_clusters.h"

namespace pipegraph::test {
namespace {

constexpr double k_gib = 1024.0 * 1024.0 * 1024.0;

class Published : public testing::Test {
 protected:
  void SetUp() override {
    if (!std::filesystem::is_directory(PIPEGRAPH_PROFILES))
      GTEST_SKIP() << "no published profiles in " PIPEGRAPH_PROFILES;
  }
  static std::filesystem::path file(const std::string& name) {
    return std::filesystem::path(PIPEGRAPH_PROFILES) / name;
  }
};

/// The public tool's settings: 8 GiB, 25 GiB/s, 1920 micro-batches, edges charged one by one.
DownsetOutcome bert(int devices, KnapsackMethod knapsack) {
  Workload workload =
      tiny_workload(import_piper_json({.name = "bert",
                                       .file = std::filesystem::path(PIPEGRAPH_PROFILES) / "piper" /
                                               "bert32a100.json"}),
                    ideal_cluster(devices), {.mini_batch = 1920});
  LayerProblem problem =
      layer_input(workload, {.micro_batch = 1, .recompute = true, .most_tensor_parallel = 8})
          .problem;
  problem.memory = 8 * k_gib;
  problem.bandwidth = 25 * k_gib;
  problem.transfer = TransferCharge::Edge;
  problem.knapsack = knapsack;
  const IdealFamily family = *all_ideals(problem.graph, 40'000);
  const DownsetPairs pairs(problem.graph, family);
  return DownsetSearch(problem, pairs).run();
}

TEST_F(Published, PiperOnBertOf32Layers) {
  EXPECT_NEAR(bert(8, KnapsackMethod::Greedy).plan->bottleneck, 0.16585575, 5e-9);
  EXPECT_NEAR(bert(64, KnapsackMethod::Greedy).plan->bottleneck, 0.02020055, 5e-9);
  EXPECT_NEAR(bert(512, KnapsackMethod::Greedy).plan->bottleneck, 0.00256113, 5e-9);
}

TEST_F(Published, PiperPlansOnFewerDevicesWhereMoreKeepTooMuch) {
  // Eight devices are enough; on 512 the final count refuses what the search's rule allows.
  Device device;
  device.memory = Bytes{std::uint64_t{8} << 30};
  const Workload workload =
      tiny_workload(import_piper_json({.name = "bert", .file = file("piper/bert32a100.json")}),
                    ideal_cluster(512, device), {.mini_batch = 1920, .optimizer = Optimizer::None});
  const PlannerResult result = plan_piper(
      workload, {.kind = PlanKind::Sequential, .micro_batches = {1}}, {.recompute = true});
  ASSERT_TRUE(std::holds_alternative<Plan>(result)) << std::get<Infeasible>(result).reason;
  EXPECT_TRUE(evaluate(workload, std::get<Plan>(result)).ok());
}

TEST_F(Published, PiperWithAnExactKnapsackIsNoWorse) {
  for (const int devices : {8, 64, 512}) {
    const double greedy = bert(devices, KnapsackMethod::Greedy).plan->bottleneck;
    const double exact = bert(devices, KnapsackMethod::Exact).plan->bottleneck;
    EXPECT_LE(exact, greedy * (1 + 2e-9)) << devices;
  }
}

/// A profile, a mini-batch as one sample, planned by PipeDream's rules.
struct Profiled {
  Workload workload;
  ChainInput input;
};

Profiled profiled(const std::string& name, const std::vector<AntichainLevel>& levels) {
  int devices = 1;
  for (const AntichainLevel& level : levels) devices *= level.workers;
  Workload workload =
      tiny_workload(import_pipedream_profile({.name = name,
                                              .file = std::filesystem::path(PIPEGRAPH_PROFILES) /
                                                      "pipedream" / (name + ".graph.txt")}),
                    ideal_cluster(devices), {.mini_batch = 1});
  std::vector<ChainLevel> same;
  for (const AntichainLevel& level : levels) same.push_back({level.workers, level.bandwidth});
  ChainInput input = chain_input(
      workload, {.micro_batch = 1, .levels = same, .sync = SyncRule::Sum, .exactly = true});
  return {std::move(workload), std::move(input)};
}

/// Seconds per mini-batch of the profile: the public tool's figure.
double pipedream(const std::string& name, const std::vector<AntichainLevel>& levels) {
  const ChainInput input = profiled(name, levels).input;
  const IdealFamily family = *all_ideals(input.problem.base.graph, 4'000);
  const PairTable pairs(input.problem.base, family);
  const ChainOutcome outcome = ChainSearch(input.problem, pairs).run();
  EXPECT_TRUE(outcome.exact) << name;
  return outcome.plan->max_time_per_sample;
}

/// The public tool's own recursion.
AntichainPlan public_plan(const std::string& name, const std::vector<AntichainLevel>& levels) {
  const Profiled profile = profiled(name, levels);
  const ComputationGraph& graph = *profile.workload.graph;
  AntichainProblem problem{graph.edges(), profile.input.problem.costs.time.front(), {}, {}};
  for (const Operator& op : graph.operators()) {
    problem.output.push_back(op.output.as_double());
    problem.parameters.push_back(op.parameters.as_double());
  }
  return antichain_plan(problem, levels);
}

const std::vector<AntichainLevel> k_four_by_four{{4, 10e9}, {4, 1.25e9}};

TEST_F(Published, PipedreamOnVgg16) {
  const std::vector<AntichainLevel> levels{{8, 4 * k_gib}, {2, 2 * k_gib}};
  EXPECT_NEAR(pipedream("vgg16", levels), 0.0783925, 5e-8);
  EXPECT_NEAR(public_plan("vgg16", levels).value, 0.0783925, 5e-8);
}

TEST_F(Published, PipedreamOnResnet50) {
  EXPECT_NEAR(pipedream("resnet50", {{8, 10e9}}), 0.0565832, 5e-8);
  EXPECT_NEAR(public_plan("resnet50", {{8, 10e9}, {1, 1.0}}).value, 0.0565832, 5e-8);
  EXPECT_NEAR(pipedream("resnet50", k_four_by_four), 0.0432085, 5e-8);
  EXPECT_NEAR(public_plan("resnet50", k_four_by_four).value, 0.0432085, 5e-8);
}

// The public tool's figure does not rest on segments of negative time: every stage of its plan is
// charged what its operators take. It is the tool's first source that costs: the cuts begin there,
// so the second embedding (0.394 ms) belongs to the first cut behind it, with the attention that
// reads it, and this stage of 11.081 ms is the slowest.
TEST_F(Published, PipedreamOnGnmtIsNoWorseThanThePublicPlan) {
  const AntichainPlan theirs = public_plan("gnmt", k_four_by_four);
  EXPECT_NEAR(theirs.value, 0.011081, 5e-9);
  const Profiled profile = profiled("gnmt", k_four_by_four);
  const std::vector<double>& seconds = profile.input.problem.costs.time.front();
  double slowest = 0.0;
  for (const AntichainStage& stage : theirs.stages) {
    double sum = 0.0;
    for (const Digraph::Node node : stage.nodes) sum += seconds[static_cast<std::size_t>(node)];
    EXPECT_NEAR(stage.charged, sum, 1e-12);
    slowest = std::max(slowest, sum / stage.replicas / stage.machines);
  }
  EXPECT_NEAR(slowest, theirs.value, 1e-12);  // compute alone, neither transfers nor all-reduces
  EXPECT_LE(pipedream("gnmt", k_four_by_four), theirs.value);
}

/// The public plan on the devices of its machines, one after the other.
Plan on_devices(const AntichainPlan& found, std::int32_t micro_batch) {
  Plan plan{.name = "public", .kind = PlanKind::Sequential};
  int machine = 0, machines = 0, worker = 0;
  for (const AntichainStage& from : found.stages) {
    if (from.machine_begins) {
      machine += machines;
      machines = from.machines;
      worker = 0;
    }
    Stage& stage = plan.stages.emplace_back();
    stage.name = fmt::format("s{}", plan.stages.size() - 1);
    for (const Digraph::Node node : from.nodes) stage.operators.push_back(OperatorId{node});
    for (int m = 0; m < from.machines; ++m)
      for (int r = 0; r < from.replicas; ++r)
        stage.devices.push_back(DeviceId{(machine + m) * 4 + worker + r});
    stage.micro_batch = micro_batch;
    worker += from.replicas;
  }
  return plan;
}

// Both by the common evaluator: with transfers and all-reduces between nodes of four devices. The
// public plan may have any micro-batch size. An iteration is 64 mini-batches of the profile, so
// that what the objective leaves out, filling and draining, is a small part of it.
TEST_F(Published, PipedreamOnGnmtIsNoSlowerThanThePublicPlanWhenBothAreEvaluated) {
  constexpr std::int32_t k_samples = 64;  // of the profile
  const Workload workload = tiny_workload(
      import_pipedream_profile(
          {.name = "gnmt", .file = file("pipedream/gnmt.graph.txt"), .profile_samples = k_samples}),
      shared_port_cluster({.nodes = 4, .per_node = 4, .inside = {10e9}, .between = {1.25e9}}),
      {.mini_batch = 64 * k_samples});
  const auto busiest = [&](const Evaluation& evaluation) {
    return busiest_device(*evaluation.prepared.program, *workload.topology,
                          workload.training.mini_batch);
  };
  const PlannerResult planned = plan_pipedream(workload, {.kind = PlanKind::Sequential}, {});
  const Evaluation ours = evaluate(workload, std::get<Plan>(planned));
  const AntichainPlan public_one = public_plan("gnmt", k_four_by_four);
  for (std::int32_t size = 4; size <= k_samples; size *= 2) {  // no stage has more replicas
    const Evaluation theirs = evaluate(workload, on_devices(public_one, size));
    ASSERT_TRUE(theirs.ok()) << theirs.prepared.reason;
    EXPECT_LE(ours.iteration_time, theirs.iteration_time) << size;
    EXPECT_LE(busiest(ours), busiest(theirs)) << size;
  }
}

// Exact over all downsets, so no worse than over those of any single order.
TEST_F(Published, PipedreamOnGnmtIsTheLeastOfAllChainsOfDownsets) {
  const Workload workload = tiny_workload(
      import_pipedream_profile({.name = "gnmt", .file = file("pipedream/gnmt.graph.txt")}),
      ideal_cluster(16), {.mini_batch = 1});
  const ChainInput input = chain_input(workload, {.micro_batch = 1,
                                                  .levels = {{4, 10e9}, {4, 1.25e9}},
                                                  .sync = SyncRule::Sum,
                                                  .exactly = true});
  const auto outcome = [&](const IdealFamily& family) {
    const PairTable pairs(input.problem.base, family);
    return ChainSearch(input.problem, pairs).run();
  };
  const Digraph& graph = input.problem.base.graph;
  const ChainOutcome all = outcome(*all_ideals(graph, 4'000));
  EXPECT_TRUE(all.exact);
  for (std::size_t variant = 0; variant < 3; ++variant)
    EXPECT_LE(
        all.plan->max_time_per_sample,
        outcome(prefixes(graph, depth_first_order(graph, variant))).plan->max_time_per_sample *
            (1 + 2e-9));
  RecordProperty("max_time_per_sample_s", std::to_string(all.plan->max_time_per_sample));
}

}  // namespace
}  // namespace pipegraph::test
