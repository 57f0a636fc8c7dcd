// More devices or more memory never make a plan worse, on the planner's own objective: the same
// micro-batch sizes, a flat network, a search that is not cut short. And the multi-modal
// transformer, on which graph plans are to beat chains.
#include <gtest/gtest.h>

#include <functional>

#include "core/planners/evaluate.h"
#include "core/planners/exhaustive.h"
#include "core/planners/graphpipe.h"
#include "core/planners/pipedream.h"
#include "core/planners/piper.h"
#include "core/planners/table.h"
#include "models/table.h"
#include "tests/core/planners/random_workload.h"
#include "tests/support/problem_seeds.h"
#include "topologies/cluster_reader.h"

namespace pipegraph {
namespace {

struct Monotone {
  const char* name;
  PlanKind kind;
  std::function<PlannerResult(const Workload&, const PlannerOptions&)> plan;
};

void PrintTo(const Monotone& planner, std::ostream* out) { *out << planner.name; }

class NeverWorse : public testing::TestWithParam<Monotone> {
 protected:
  static constexpr double k_none = std::numeric_limits<double>::infinity();

  double objective(const RandomWorkload& random) const {
    PlannerOptions options{.name = "test", .kind = GetParam().kind};
    options.micro_batches = {random.micro_batch};
    options.choose = Choose::Objective;
    const PlannerResult result = GetParam().plan(random.workload, options);
    const Plan* plan = std::get_if<Plan>(&result);
    return plan == nullptr ? k_none : plan->objective->value;
  }
};

/// The same network between more devices, each with so much of the memory.
RandomWorkload enlarged(const RandomWorkload& random, int devices, double memory) {
  const Topology& topology = *random.workload.topology;
  Device device = topology.devices().front();
  device.name.clear();
  if (!device.unlimited_memory())
    device.memory = Bytes{static_cast<std::uint64_t>(device.memory.as_double() * memory)};
  Seconds latency{0};
  BytesPerSecond bandwidth{std::numeric_limits<double>::infinity()};
  if (topology.size() > 1) {
    const Route route = topology.route(DeviceId{0}, DeviceId{1});
    latency = route.latency;
    bandwidth = topology.bandwidth(route);
  }
  RandomWorkload larger = random;
  larger.workload.topology = std::make_shared<const Topology>(test::ported_cluster(
      static_cast<int>(topology.size()) + devices, latency, bandwidth, device));
  return larger;
}

TEST_P(NeverWorse, WithMoreDevicesOrMemory) {
  int better = 0;
  int planned = 0;
  const std::uint64_t first = test::first_seed() + 20'000;
  for (std::uint64_t seed = first; seed < first + test::problem_count(400); ++seed) {
    const RandomWorkload random = random_workload(seed);
    if (random.workload.topology->size() < 2) continue;  // the network of one is not known
    const double before = objective(random);
    if (before < k_none) ++planned;
    for (const auto& [devices, memory] : {std::pair{1, 1.0}, std::pair{0, 1.5}}) {
      const double after = objective(enlarged(random, devices, memory));
      if (after < before * (1 - 1e-6)) ++better;
      EXPECT_LE(after, before * (1 + 4e-9))
          << "seed " << seed << ": " << devices << " more devices, " << memory << " x memory";
    }
  }
  EXPECT_GT(planned, 50);
  EXPECT_GT(better, 10);
}

/// Seconds an iteration; infinite if there is no plan.
double iteration_time(const Monotone& planner, const Workload& workload,
                      std::vector<std::int32_t> sizes) {
  PlannerOptions options{.name = "test", .kind = planner.kind};
  options.micro_batches = std::move(sizes);
  const PlannerResult result = planner.plan(workload, options);
  const Plan* plan = std::get_if<Plan>(&result);
  if (plan == nullptr) return std::numeric_limits<double>::infinity();
  return evaluate(workload, *plan, options.evaluation).iteration_time.count();
}

class ChosenSize : public NeverWorse {};

// Sizes that cannot win are left out: none of them may have won. Not so for piper, which counts
// what is in flight by another rule only where its own finds nothing of any size.
TEST_P(ChosenSize, IsNoWorseThanAnySizeAlone) {
  int planned = 0;
  const std::uint64_t first = test::first_seed() + 40'000;
  for (std::uint64_t seed = first; seed < first + test::problem_count(300); ++seed) {
    const Workload workload = random_workload(seed).workload;
    double best = k_none;
    std::vector<std::int32_t> sizes;
    for (std::int32_t size = 1; size <= workload.training.mini_batch; size *= 2) {
      sizes.push_back(size);
      best = std::min(best, iteration_time(GetParam(), workload, {size}));
    }
    if (best < k_none) ++planned;
    EXPECT_LE(iteration_time(GetParam(), workload, sizes), best * (1 + 1e-9)) << "seed " << seed;
  }
  EXPECT_GT(planned, 50);
}

Monotone piper() {
  return {"piper", PlanKind::Sequential, [](const auto& workload, const auto& options) {
            return plan_piper(workload, options, {});
          }};
}

std::vector<Monotone> all_but_piper() {
  const auto graphpipe = [](const auto& workload, const auto& options) {
    return plan_graphpipe(workload, options, {});
  };
  const auto pipedream = [](const auto& workload, const auto& options) {
    return plan_pipedream(workload, options, {});
  };
  return {{"graphpipe", PlanKind::Graph, graphpipe},
          {"graphpipe_chain", PlanKind::Sequential, graphpipe},
          {"pipedream_of_one_level", PlanKind::Sequential, pipedream},
          {"exhaustive", PlanKind::Graph, [](const auto& workload, const auto& options) {
             return plan_exhaustive(workload, options);
           }}};
}

const auto k_name = [](const auto& param) { return std::string(param.param.name); };

INSTANTIATE_TEST_SUITE_P(, NeverWorse, testing::ValuesIn(all_but_piper()), k_name);
INSTANTIATE_TEST_SUITE_P(Piper, NeverWorse, testing::Values(piper()), k_name);
INSTANTIATE_TEST_SUITE_P(, ChosenSize, testing::ValuesIn(all_but_piper()), k_name);

/// By its entry in the table of planners, with its default options.
Plan plan_by(const char* name, const Workload& workload) {
  const PlannerEntry& entry = *find_planner(name);
  MapReader nothing(YamlValue::parse("{}", "test"), "a plan");
  return std::get<Plan>(entry.configure(nothing)(workload, {.name = name, .kind = entry.kind}));
}

/// The multi-modal transformer on four V100s a node of Summit, 16 samples each.
Workload transformer_on(int devices) {
  const std::string cluster = "{file: " PIPEGRAPH_SOURCE_DIR "/topologies/summit.yaml, nodes: " +
                              std::to_string(devices / 4) + ", devices_per_node: 4}";
  return test::tiny_workload(build_family("multimodal_transformer"),
                             read_cluster(YamlValue::parse(cluster, "test")),
                             {.mini_batch = 16 * devices, .precision = Precision::Fp32Tensor});
}

TEST(MultiModalTransformer, IsShorterAndShallowerAsAGraphThanAsAChain) {
  for (const int devices : {4, 8, 16, 32}) {
    const Workload workload = transformer_on(devices);
    const Plan graph = plan_by("graphpipe", workload);
    const Evaluation own = evaluate(workload, graph);
    const auto shared = [&](const Plan& plan) {
      return evaluate(workload, plan, {.links = LinkRates::Shared}).iteration_time;
    };
    for (const char* name : {"pipedream", "piper"}) {
      const Plan chain = plan_by(name, workload);
      const Evaluation other = evaluate(workload, chain);
      EXPECT_LT(own.iteration_time, other.iteration_time) << name << " on " << devices;
      EXPECT_LT(shared(graph), shared(chain)) << name << " on " << devices;
      EXPECT_LT(own.prepared.stages.depth(), other.prepared.stages.depth())
          << name << " on " << devices;
      if (std::string_view(name) == "pipedream") {
        EXPECT_GT(graph.stages.front().micro_batch, chain.stages.front().micro_batch);
      }
    }
  }
}

/// Of the search over ideals, or of the paper's recursion.
double bottleneck(const Workload& workload, std::int32_t micro_batch, const GraphpipeOptions& own) {
  const PlannerOptions options{
      .name = "test", .micro_batches = {micro_batch}, .choose = Choose::Objective};
  return std::get<Plan>(plan_graphpipe(workload, options, own)).objective->value;
}

TEST(MultiModalTransformer, HasNoBetterPlanByThePapersRecursion) {
  constexpr std::pair<int, std::int32_t> k_cases[] = {{4, 8}, {8, 4}, {16, 32}, {32, 16}, {32, 64}};
  for (const auto& [devices, micro_batch] : k_cases) {
    const Workload workload = transformer_on(devices);
    const double over_ideals = bottleneck(workload, micro_batch, {});
    for (const Joins joins : {Joins::Own, Joins::WithBranch}) {
      const GraphpipeOptions paper{.search = GraphpipeSearchMethod::Paper,
                                   .joins = joins,
                                   .device_counts = DeviceCounts::PowersOfTwo};
      EXPECT_GE(bottleneck(workload, micro_batch, paper), over_ideals * (1 - 2e-9))
          << micro_batch << " on " << devices;
    }
  }
}

}  // namespace
}  // namespace pipegraph
