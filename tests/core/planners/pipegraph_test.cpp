// The pipegraph planner against an oracle of the iteration time, and against the planners whose
// plans it starts from.
#include "core/planners/pipegraph.h"

#include <gmock/gmock.h>

#include <algorithm>
#include <set>

#include "core/planners/balanced.h"
#include "core/planners/candidates.h"
#include "core/planners/iteration_bound.h"
#include "core/planners/layout.h"
#include "core/planners/moves.h"
#include "core/planners/search/exhaustive.h"
#include "core/planners/table.h"
#include "tests/core/planners/random_workload.h"
#include "tests/support/problem_seeds.h"

namespace pipegraph {
namespace {

/// The least iteration time of all stage graphs (uniform micro-batches of the candidate sizes,
/// k = 1, least in flight) that stays under `best`, or `best`.
class IterationOracle {
 public:
  IterationOracle(const Workload& workload, double best, LinkRates links)
      : workload_(workload), input_(search_input(workload)), estimate_(workload, input_) {
    best_ = best;
    options_.links = links;
  }

  double least() {
    const auto devices = static_cast<std::size_t>(input_.problem.devices);
    for_each_partition(input_.problem.graph, devices, [&](const SearchPlan& plan) {
      SearchPlan sorted = plan;  // an order of the stages is no plan of its own in a graph
      std::ranges::sort(sorted.stages, {}, &SearchStage::blocks);
      std::vector<std::vector<Digraph::Node>> key;
      for (const SearchStage& stage : sorted.stages) key.push_back(stage.blocks);
      if (!seen_.insert(key).second) return;
      for (const std::int32_t size : micro_batch_candidates({}, workload_.training.mini_batch)) {
        Layout layout{.stages = stages_of(input_, plan)};
        for (Stage& stage : layout.stages) stage.micro_batch = size;
        split_devices(layout, 0, devices - layout.stages.size());
      }
    });
    return best_;
  }

 private:
  void split_devices(Layout& layout, std::size_t stage, std::size_t spare) {
    if (stage == layout.stages.size()) {
      rate(layout);
      return;
    }
    auto& devices = layout.stages[stage].devices;
    const auto most =
        std::min(spare + 1, static_cast<std::size_t>(layout.stages[stage].micro_batch));
    for (std::size_t d = 1; d <= most; ++d) {
      devices.resize(d);
      split_devices(layout, stage + 1, spare - (d - 1));
    }
    devices.resize(1);
  }

  /// No iteration is shorter than the work of one stage on all whole micro-batches.
  double bound(const Layout& layout) {
    double most = 0.0;
    for (const Stage& stage : layout.stages)
      if (stage.micro_batch % static_cast<std::int32_t>(stage.devices.size()) == 0)
        most = std::max(most, estimate_.stage_seconds(stage) *
                                  (workload_.training.mini_batch / stage.micro_batch));
    return most;
  }

  void rate(Layout layout) {
    if (bound(layout) >= best_) return;
    number_places(layout);
    Plan plan;
    plan.stages = layout.stages;
    const Evaluation evaluation = evaluate(workload_, plan, options_);
    if (evaluation.ok()) best_ = std::min(best_, evaluation.iteration_time.count());
  }

  const Workload& workload_;
  SearchInput input_;
  LayoutEstimate estimate_;
  std::set<std::vector<std::vector<Digraph::Node>>> seen_;
  double best_;
  EvaluationOptions options_;
};

/// On at most four devices.
Workload oracle_workload(std::uint64_t seed) {
  for (;; seed += 10'000) {
    RandomWorkload random = random_workload(seed);
    if (random.workload.topology->size() <= 4) return random.workload;
  }
}

double seconds(const Workload& workload, const PlannerResult& result,
               LinkRates links = LinkRates::Own) {
  const Plan* plan = std::get_if<Plan>(&result);
  return plan == nullptr ? std::numeric_limits<double>::infinity()
                         : evaluate(workload, *plan, {.links = links}).iteration_time.count();
}

class PipegraphOracle : public testing::TestWithParam<LinkRates> {};

TEST_P(PipegraphOracle, IsCloseToTheLeastIterationTime) {
  double sum = 0.0;
  std::uint64_t problems = 0;
  std::uint64_t far = 0;
  std::uint64_t missed = 0;  // memory so tight that only the final count tells what fits
  for (std::uint64_t seed = test::first_seed(); problems < test::problem_count(200); ++seed) {
    const Workload workload = oracle_workload(seed);
    const PipegraphOptions own{.links = GetParam(), .memory_slack = 0.0};
    const double found = seconds(workload, plan_pipegraph(workload, {}, own), GetParam());
    const double least = IterationOracle(workload, found, GetParam()).least();
    if (least == std::numeric_limits<double>::infinity()) continue;  // nothing fits
    ++problems;
    if (found == std::numeric_limits<double>::infinity()) {
      ++missed;
      continue;
    }
    sum += found / least;
    if (found > 1.05 * least) ++far;
  }
  const double mean = sum / static_cast<double>(problems - missed);
  RecordProperty("mean_ratio", std::to_string(mean));
  RecordProperty("beyond_5_percent", std::to_string(far));
  RecordProperty("missed", std::to_string(missed));
  EXPECT_LE(mean, 1.01);
  EXPECT_LE(far + missed, problems / 20);
  EXPECT_LE(missed, problems / 500);
}

std::string name_of_links(const testing::TestParamInfo<LinkRates>& links) {
  return links.param == LinkRates::Own ? "OwnLinks" : "SharedLinks";
}

INSTANTIATE_TEST_SUITE_P(, PipegraphOracle, testing::Values(LinkRates::Own, LinkRates::Shared),
                         name_of_links);

/// By its entry in the table of planners, with its default options.
PlannerResult run_planner(const PlannerEntry& entry, const Workload& workload,
                          const PlannerOptions& options) {
  MapReader nothing(YamlValue::parse("{}", "test"), "a plan");
  return entry.configure(nothing)(workload, options);
}

class PipegraphAgainstOthers : public testing::TestWithParam<LinkRates> {};

TEST_P(PipegraphAgainstOthers, IsNeverWorseThanAnyOther) {
  int chains = 0;
  for (std::uint64_t seed = 1; seed <= 100; ++seed) {
    const Workload workload = random_workload(seed + 3000).workload;
    const PipegraphOptions own{.evaluations = 20, .links = GetParam()};
    const double found = seconds(workload, plan_pipegraph(workload, {}, own), GetParam());
    for (const PlannerEntry& entry : planner_table()) {
      if (entry.name == "pipegraph" || entry.name == "exhaustive") continue;
      for (const PlanKind kind : {PlanKind::Graph, PlanKind::Sequential}) {
        if (kind != entry.kind && entry.name != "graphpipe" && entry.name != "balanced") continue;
        const double other =
            seconds(workload, run_planner(entry, workload, {.kind = kind}), GetParam());
        EXPECT_LE(found, other * (1 + 1e-9)) << "seed " << seed << ", " << entry.name;
        if (kind == PlanKind::Sequential && other < 1e300) ++chains;
      }
    }
  }
  EXPECT_GT(chains, 300);
}

INSTANTIATE_TEST_SUITE_P(, PipegraphAgainstOthers,
                         testing::Values(LinkRates::Own, LinkRates::Shared), name_of_links);

TEST(Pipegraph, OfPlansNearlyAsFastTakesTheLeanest) {
  int leaner = 0;
  for (std::uint64_t seed = 1; seed <= 60; ++seed) {
    const Workload workload = random_workload(seed + 5000).workload;
    const auto plan = [&](double slack) {
      return plan_pipegraph(workload, {}, {.evaluations = 60, .memory_slack = slack});
    };
    const PlannerResult fastest = plan(0.0);
    const PlannerResult lean = plan(0.05);
    if (std::holds_alternative<Infeasible>(fastest)) continue;
    const auto peak = [&](const PlannerResult& result) {
      Bytes most;
      for (const auto& device : prepare(workload, std::get<Plan>(result)).memory.devices)
        most = std::max(most, device.peak);
      return most;
    };
    EXPECT_LE(seconds(workload, lean, LinkRates::Shared),
              1.05 * seconds(workload, fastest, LinkRates::Shared) * (1 + 1e-9));
    EXPECT_LE(peak(lean), peak(fastest)) << "seed " << seed;
    if (peak(lean) < peak(fastest)) ++leaner;
  }
  EXPECT_GT(leaner, 0);
}

TEST(Pipegraph, NamesALowerBoundThatHolds) {
  int bounded = 0;
  for (std::uint64_t seed = 1; seed <= 100; ++seed) {
    const Workload workload = oracle_workload(seed + 40'000);
    const auto bound = iteration_lower_bound(workload, search_input(workload));
    ASSERT_TRUE(bound.has_value());
    const double infinite = std::numeric_limits<double>::infinity();
    const double least = IterationOracle(workload, infinite, LinkRates::Own).least();
    EXPECT_LE(bound->count(), least * (1 + 1e-9)) << "seed " << seed;
    if (bound->count() > 0.9 * least) ++bounded;
  }
  EXPECT_GT(bounded, 5);  // it is not idle
}

TEST(Pipegraph, FitsAndNamesItsIterationTime) {
  for (std::uint64_t seed = 1; seed <= 50; ++seed) {
    const Workload workload = random_workload(seed + 7000).workload;
    const PlannerResult result = plan_pipegraph(workload, {}, {.evaluations = 50});
    const Plan* plan = std::get_if<Plan>(&result);
    if (plan == nullptr) continue;
    const Evaluation evaluation = evaluate(workload, *plan);
    EXPECT_TRUE(evaluation.ok()) << "seed " << seed;
    EXPECT_EQ(plan->objective->name, "iteration_time_s");
    EXPECT_DOUBLE_EQ(plan->objective->value, evaluation.iteration_time.count());
  }
}

TEST(Pipegraph, ReturnsAChainWhereAskedForOne) {
  const Workload workload =
      test::tiny_workload(test::fork_join_graph(2, 2), test::ideal_cluster(3), {.mini_batch = 4});
  const Plan plan =
      std::get<Plan>(plan_pipegraph(workload, {.kind = PlanKind::Sequential}, {.evaluations = 30}));
  EXPECT_EQ(plan.kind, PlanKind::Sequential);
}

TEST(Pipegraph, PlansForAnySchedule) {
  // Messages take 1 s, so that `bapipe` has more in flight under 1f1b, which gpipe knows nothing
  // of.
  const Workload workload =
      test::tiny_workload(test::fork_join_graph(2, 1), test::delayed_cluster(4, Seconds{1}),
                          {.mini_batch = 8, .optimizer = Optimizer::Sgd});
  for (const char* schedule : {"1f1b", "gpipe", "kfkb", "zb1p"}) {
    const Plan plan =
        std::get<Plan>(plan_pipegraph(workload, {.schedule = schedule}, {.evaluations = 30}));
    EXPECT_TRUE(evaluate(workload, plan).ok()) << schedule;
  }
}

TEST(Pipegraph, HasMoreInFlightByAnyScheduleThatMayHideMessages) {
  // Messages take 1 s. kfkb with k = 1 is 1f1b: what hides messages there does so here.
  const Workload workload =
      test::tiny_workload(test::fork_join_graph(2, 2), test::delayed_cluster(4, Seconds{1}),
                          {.mini_batch = 16, .optimizer = Optimizer::Sgd});
  const auto seconds = [&](const char* schedule) {
    return std::get<Plan>(plan_pipegraph(workload, {.schedule = schedule}, {})).objective->value;
  };
  EXPECT_LE(seconds("kfkb"), seconds("1f1b") * (1 + 1e-9));
}

TEST(Neighbours, HaveOtherKsWhereTheScheduleKnowsThem) {
  Layout layout{.stages = test::stage_per_operator(test::chain_graph(3))};
  number_places(layout);
  const auto ks = [&](const MoveOptions& options) {
    std::set<std::int32_t> found;
    for (const Layout& next : neighbours(test::chain_graph(3), layout, options))
      for (const Stage& stage : next.stages) found.insert(stage.k);
    return found;
  };
  EXPECT_EQ(ks({.devices = 3}), (std::set<std::int32_t>{1}));
  EXPECT_EQ(ks({.devices = 3, .k = true}), (std::set<std::int32_t>{1, 2}));
  for (Stage& stage : layout.stages) stage.k = 2;
  EXPECT_EQ(ks({.devices = 3, .k = true}), (std::set<std::int32_t>{1, 2, 4}));
}

TEST(Neighbours, AreValidStageGraphsOfAllOperators) {
  for (std::uint64_t seed = 1; seed <= 100; ++seed) {
    const Workload workload = random_workload(seed).workload;
    const PlannerResult start = plan_balanced(workload, {});
    if (!std::holds_alternative<Plan>(start)) continue;
    Layout layout{.stages = std::get<Plan>(start).stages};
    number_places(layout);
    const auto near =
        neighbours(*workload.graph, layout,
                   {.devices = workload.topology->size(), .micro_batches = {1, 2, 4}});
    for (const Layout& next : near) {
      const StageGraph stages(*workload.graph, next.stages, next.kind);  // throws if not valid
      EXPECT_TRUE(stages.acyclic());
      EXPECT_LE(places(next), workload.topology->size());
      EXPECT_NE(key_of(next), key_of(layout));
    }
  }
}

TEST(LayoutEstimate, IsExactForAPlainPipelineWithoutMessages) {
  // Four stages of 1 + 2 s, eight micro-batches: (8 + 4 - 1) x 3.
  const Workload workload =
      test::tiny_workload(test::chain_graph(4), test::ideal_cluster(4), {.mini_batch = 8});
  const SearchInput input = search_input(workload);
  const Layout layout{.stages = test::stage_per_operator(*workload.graph)};
  EXPECT_DOUBLE_EQ(LayoutEstimate(workload, input).seconds(layout), 33.0);
}

}  // namespace
}  // namespace pipegraph
