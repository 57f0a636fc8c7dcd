// The number of devices that a planner's plan would fit on, against the planner itself on every
// number.
#include "core/planners/more_devices.h"

#include <fmt/format.h>
#include <gmock/gmock.h>

#include <optional>
#include <random>

#include "core/planners/balanced.h"
#include "core/planners/bapipe.h"
#include "core/planners/uniform.h"
#include "tests/support/problem_seeds.h"
#include "tests/support/tiny_clusters.h"
#include "tests/support/tiny_graphs.h"
#include "tests/support/tiny_stages.h"

namespace pipegraph {
namespace {

using testing::HasSubstr;

/// A chain of operators of random sizes on devices that mostly have too little memory.
struct RandomChain {
  explicit RandomChain(std::uint64_t seed) : random_(seed * 7919) {
    const int length = pick(2, 9);
    for (int i = 0; i < length; ++i) {
      Operator& op = operators_.emplace_back();
      op.name = fmt::format("op{}", i);
      if (i > 0) op.inputs = {OperatorId{i - 1}};
      op.forward.time = Seconds{1e-3 * pick(1, 4)};
      op.backward.time = Seconds{1e-3 * pick(1, 4)};
      op.output = Bytes{static_cast<std::uint64_t>(pick(1, 50))};
      op.parameters = Bytes{static_cast<std::uint64_t>(pick(0, 200))};
    }
    device_.memory = Bytes{static_cast<std::uint64_t>(pick(300, 1500))};
    options_.kind = PlanKind::Sequential;
    options_.micro_batches = {pick(1, 2)};
    if (pick(0, 3) == 0) options_.schedule = "gpipe";
  }

  int length() const { return static_cast<int>(operators_.size()); }
  int pick(int least, int most) { return std::uniform_int_distribution<int>(least, most)(random_); }
  PlannerResult planned(const Planner& planner, int devices) const {
    return planner(test::tiny_workload({"chain", operators_}, test::ideal_cluster(devices, device_),
                                       {.mini_batch = 8}),
                   options_);
  }
  /// The least number of devices on which there is a plan.
  std::optional<int> fewest(const Planner& planner) const {
    for (int devices = 1; devices <= length(); ++devices)
      if (std::holds_alternative<Plan>(planned(planner, devices))) return devices;
    return std::nullopt;
  }

 private:
  std::mt19937_64 random_;
  std::vector<Operator> operators_;
  Device device_;
  PlannerOptions options_;
};

Planner interleaving() {
  MapReader map(YamlValue::parse("{stages_per_device: 2}", "test"), "a planner");
  return configure_uniform(map);
}

TEST(FewestDevices, IsTheLeastNumberOnWhichThePlannerFindsAPlan) {
  const std::vector<Planner> planners{Planner(plan_uniform), Planner(plan_balanced),
                                      Planner(plan_bapipe_by_schedule), interleaving()};
  int more = 0, fewer = 0, none = 0;
  for (const std::uint64_t seed : test::problem_seeds(80)) {
    RandomChain chain(seed);
    const int devices = chain.pick(1, chain.length());
    for (const Planner& planner : planners) {
      const PlannerResult result = chain.planned(planner, devices);
      const auto* no = std::get_if<Infeasible>(&result);
      if (no == nullptr) continue;
      const std::optional<int> fewest = chain.fewest(planner);
      if (!fewest) {
        ++none;
        EXPECT_THAT(no->reason, HasSubstr("; more devices do not help")) << seed;
      } else if (*fewest > devices) {
        ++more;
        EXPECT_TRUE(no->reason.ends_with(
            fmt::format("; the smallest feasible device count is {}", *fewest)))
            << seed << ": " << no->reason << "; " << *fewest;
      } else {
        ++fewer;
        EXPECT_THAT(no->reason,
                    HasSubstr(fmt::format("; on {} of the devices its plan fits", *fewest)))
            << seed;
      }
    }
  }
  EXPECT_GT(more, 5);
  EXPECT_GT(none, 5);
  EXPECT_GT(fewer, 0);
}

TEST(FewestDevices, SaysUpToWhereItLooked) {
  // Nothing fits a byte; the planner's cut is that of `uniform`.
  Device device;
  device.memory = Bytes{1};
  const Workload workload = test::tiny_workload(test::chain_graph(6, {.parameters = Bytes{8}}),
                                                test::ideal_cluster(2, device), {.mini_batch = 4});
  const auto refused = with_fewest_devices(
      Infeasible{"too large"}, workload, {.kind = PlanKind::Sequential, .micro_batches = {1}},
      {.cut =
           [](const Workload& on, std::int32_t size) {
             std::vector<Stage> stages = test::stage_per_operator(*on.graph, size);
             for (std::size_t s = 0; s < stages.size(); ++s)
               stages[s].devices = {make_id<DeviceId>(std::min(s, on.topology->size() - 1))};
             return stages;
           },
       .most_devices = 3});
  EXPECT_EQ(std::get<Infeasible>(refused).reason, "too large; up to 3 devices do not help");
}

}  // namespace
}  // namespace pipegraph
