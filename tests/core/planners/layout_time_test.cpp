// The recurrence's iteration time against the analytic backend on random plans.
#include "core/planners/layout_time.h"

#include <gtest/gtest.h>

#include <random>

#include "core/base/errors.h"
#include "core/planners/evaluate.h"
#include "core/planners/least_memory.h"
#include "tests/support/tiny_clusters.h"
#include "tests/support/tiny_graphs.h"
#include "tests/support/tiny_stages.h"
#include "tests/support/wired_clusters.h"

namespace pipegraph {
namespace {

/// Random plans of random workloads: everything that the recurrence claims to know.
class RandomPlans {
 public:
  explicit RandomPlans(std::uint64_t seed) : random_(seed) {}

  Workload workload() {
    Workload made = test::tiny_workload(graph(), topology(), {.mini_batch = pick(1, 24)});
    if (chance(50)) made.training.optimizer = Optimizer::Adam;
    return made;
  }

  Plan plan(const Workload& workload) {
    Plan plan;
    plan.kind = chance(50) ? PlanKind::Graph : PlanKind::Sequential;
    plan.skip_transfer = chance(30) ? SkipTransfer::Relay : SkipTransfer::Direct;
    const std::vector<std::string> schedules{"1f1b", "1f1b", "gpipe", "kfkb", "zb1p"};
    plan.schedule = schedules[static_cast<std::size_t>(pick(0, 4))];
    if (plan.schedule == "1f1b") plan.extra_in_flight = pick(0, 3);
    plan.stages = stages(workload, plan.schedule == "kfkb");
    return plan;
  }

 private:
  int pick(int least, int most) { return std::uniform_int_distribution<int>(least, most)(random_); }
  bool chance(int percent) { return pick(0, 99) < percent; }

  ComputationGraph graph() {
    const int count = pick(1, 8);
    const int density = pick(15, 70);
    const bool ties = chance(20);
    std::vector<Operator> operators;
    for (int i = 0; i < count; ++i) {
      std::vector<OperatorId> inputs;
      for (int j = 0; j < i; ++j)
        if (chance(density)) inputs.push_back(OperatorId{j});
      const auto bytes = [&](int most) { return Bytes{static_cast<std::uint64_t>(pick(0, most))}; };
      Operator op = test::tiny_operator("o" + std::to_string(i), inputs,
                                        {.forward = Seconds{pick(1, 30) / 10.0},
                                         .backward = Seconds{pick(1, 60) / 10.0},
                                         .output = bytes(4096),
                                         .parameters = bytes(8192)});
      op.output_needs_gradient = chance(80);
      if (ties && i > 0 && chance(40)) {
        op.tied_to = OperatorId{0};
        op.parameters = operators[0].parameters;
      }
      operators.push_back(std::move(op));
    }
    return ComputationGraph("random", operators);
  }

  Topology topology() {
    const int devices = pick(1, 8);
    Topology made = test::ideal_cluster(devices);
    if (chance(70))
      made = test::ported_cluster(devices, Seconds{pick(0, 5) / 10.0},
                                  BytesPerSecond{pick(1, 20) * 1024.0});
    if (chance(30))
      made = test::shared_port_cluster({.nodes = pick(1, 3),
                                        .per_node = 3,
                                        .latency = Seconds{0.1},
                                        .inside = BytesPerSecond{9000},
                                        .between = BytesPerSecond{2000}});
    std::vector<Device> list = made.devices();
    const bool uneven = chance(30);
    for (Device& device : list) {
      device.memory_bandwidth = BytesPerSecond{10'000};
      if (uneven) device.slowdown = pick(10, 20) / 10.0;
    }
    return made.with_devices(list);
  }

  /// A topological order cut anywhere; devices in any order.
  std::vector<Stage> stages(const Workload& workload, bool with_k) {
    std::vector<DeviceId> free;
    for (std::size_t d = 0; d < workload.topology->size(); ++d)
      free.push_back(make_id<DeviceId>(d));
    std::ranges::shuffle(free, random_);
    std::vector<Stage> stages;
    const std::int32_t size = pick(1, workload.training.mini_batch);
    const bool own_sizes = chance(40);
    for (std::size_t i = 0; i < workload.graph->size(); ++i) {
      if (stages.empty() || (!free.empty() && chance(60))) {
        Stage& stage = stages.emplace_back();
        stage.micro_batch = own_sizes ? pick(1, workload.training.mini_batch + 2) : size;
        const auto most =
            std::min<std::size_t>(free.size(), static_cast<std::size_t>(stage.micro_batch));
        const auto replicas = static_cast<std::size_t>(pick(1, static_cast<int>(most)));
        stage.devices.assign(free.end() - static_cast<std::ptrdiff_t>(replicas), free.end());
        free.resize(free.size() - replicas);
        if (with_k) stage.k = pick(1, 3);
      }
      stages.back().operators.push_back(make_id<OperatorId>(i));
    }
    return stages;
  }

  std::mt19937_64 random_;
};

TEST(LayoutTime, EqualsTheAnalyticBackendOnItsDomain) {
  int compared = 0;
  int replicated = 0;
  for (std::uint64_t seed = 1; seed <= 3000; ++seed) {
    RandomPlans random(seed);
    const Workload workload = random.workload();
    const Plan plan = random.plan(workload);
    const Evaluation evaluation = evaluate(workload, plan);
    ASSERT_TRUE(evaluation.ok()) << "seed " << seed << ": " << evaluation.prepared.reason;
    const SearchInput input = search_input(workload);
    const PlannerOptions options{.schedule = plan.schedule, .skip_transfer = plan.skip_transfer};
    const auto figures = LayoutTimes(workload, options, input)
                             .figures({plan.kind, plan.extra_in_flight, plan.stages});
    ASSERT_TRUE(figures.has_value()) << "seed " << seed;
    const double exact = evaluation.iteration_time.count();
    ASSERT_NEAR(figures->seconds, exact, 1e-9 * exact) << "seed " << seed;
    EXPECT_FALSE(figures->too_large);
    ++compared;
    for (const Stage& stage : plan.stages)
      if (stage.replicas() > 1 && plan.stages.size() > 1) {
        ++replicated;
        break;
      }
  }
  EXPECT_EQ(compared, 3000);
  EXPECT_GT(replicated, 1000);
}

TEST(LeastMemory, IsNeverMoreThanTheFullestDeviceNeedsAndMostOfIt) {
  double share = 0.0;
  int counted = 0;
  for (std::uint64_t seed = 1; seed <= 1000; ++seed) {
    RandomPlans random(seed);
    const Workload workload = random.workload();
    const Plan plan = random.plan(workload);
    const PreparedPlan prepared = prepare(workload, plan);
    for (std::size_t s = 0; s < plan.stages.size(); ++s) {
      Bytes needed;
      for (const DeviceId device : plan.stages[s].devices)
        needed = std::max(needed, prepared.memory.devices[device.index()].peak);
      const Bytes least =
          least_memory(workload, prepared.stages.stages()[s], prepared.schedule.stages[s]);
      ASSERT_LE(least, needed) << "seed " << seed << ", stage " << s;
      if (needed.count == 0) continue;
      share += least.as_double() / needed.as_double();
      ++counted;
    }
  }
  EXPECT_GT(share / counted, 0.7);
}

/// Two operators on two devices.
struct Pair {
  Workload workload =
      test::tiny_workload(test::chain_graph(2), test::ideal_cluster(2), {.mini_batch = 4});
  SearchInput input = search_input(workload);
  Layout layout{.stages = test::stage_per_operator(*workload.graph)};

  std::optional<double> seconds(const PlannerOptions& options = {}) const {
    const auto figures = LayoutTimes(workload, options, input).figures(layout);
    return figures ? std::optional(figures->seconds) : std::nullopt;
  }
};

TEST(LayoutTime, OfTwoStagesIsFillPlusTheSlowerOne) {
  // Passes of 1 + 2 s a micro-batch: (4 + 2 - 1) x 3.
  EXPECT_DOUBLE_EQ(*Pair{}.seconds(), 15.0);
}

TEST(LayoutTime, SaysWhenDevicesHaveTooLittleMemory) {
  // Stage 0 keeps two samples in flight of its output, 1 KiB each.
  Pair pair;
  std::vector<Device> devices = pair.workload.topology->devices();
  devices[0].memory = Bytes{2048};
  const auto too_large = [&] {
    pair.workload.topology =
        std::make_shared<const Topology>(pair.workload.topology->with_devices(devices));
    return LayoutTimes(pair.workload, {}, pair.input).figures(pair.layout)->too_large;
  };
  EXPECT_FALSE(too_large());
  devices[0].memory = Bytes{2047};
  EXPECT_TRUE(too_large());
}

TEST(LayoutTime, IsUnknownOutsideItsDomain) {
  Pair shared;
  shared.layout.stages[1].devices = shared.layout.stages[0].devices;
  EXPECT_EQ(shared.seconds(), std::nullopt);
  EXPECT_EQ(Pair{}.seconds({.receive_slots = 1}), std::nullopt);
  EXPECT_EQ(Pair{}.seconds({.schedule = "interleaved_1f1b"}), std::nullopt);
  EXPECT_EQ(Pair{}.seconds({.evaluation = {.overlap = false}}), std::nullopt);
  Pair blocking;
  std::vector<Device> devices = blocking.workload.topology->devices();
  devices[1].overlap = false;
  blocking.workload.topology =
      std::make_shared<const Topology>(blocking.workload.topology->with_devices(devices));
  EXPECT_EQ(blocking.seconds(), std::nullopt);
}

}  // namespace
}  // namespace pipegraph
