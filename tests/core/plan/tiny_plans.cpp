#include "tests/core/plan/tiny_plans.h"

#include <algorithm>

#include "core/plan/plan_reader.h"
#include "tests/support/tiny_clusters.h"

namespace pipegraph::test {

Workload tiny_workload() {
  std::vector<Operator> operators(4);
  const std::vector<std::string> names{"a1", "a2", "b1", "b2"};
  for (std::size_t i = 0; i < names.size(); ++i) {
    operators[i].name = names[i];
    operators[i].output = Bytes{4096};
    if (i > 0) operators[i].inputs = {make_id<OperatorId>(i - 1)};
  }
  Workload workload;
  workload.graph = std::make_shared<ComputationGraph>("tiny", std::move(operators));
  workload.topology = std::make_shared<Topology>(ideal_cluster(4));
  workload.training.mini_batch = 16;
  return workload;
}

Plan full_plan() {
  Plan plan;
  plan.name = "odd: \"name\"\n";
  plan.planner = "some planner";
  plan.kind = PlanKind::Sequential;
  plan.schedule = "kfkb";
  plan.extra_in_flight = 12;
  plan.skip_transfer = SkipTransfer::Relay;
  plan.receive_slots = 3;
  plan.stages.push_back({.name = "s, 0",
                         .operators = {OperatorId{0}, OperatorId{2}},
                         .devices = {DeviceId{2}, DeviceId{0}},
                         .micro_batch = 4,
                         .k = 2,
                         .in_flight = 16,
                         .recompute = {OperatorId{2}}});
  plan.stages.push_back({.name = "null",
                         .operators = {OperatorId{1}, OperatorId{3}},
                         .devices = {DeviceId{1}, DeviceId{0}},
                         .micro_batch = 2,
                         .recompute = {OperatorId{1}, OperatorId{3}},
                         .tensor_parallel = 2});
  plan.unused_devices = {DeviceId{3}};
  plan.objective = Objective{"max_time_per_sample_s", 1.0 / 3};
  plan.search = SearchReport{.time = Seconds{0.1 + 0.2},
                             .lower_bound_s = 1e-300,
                             .gap = 2.0 / 7,
                             .exact = true,
                             .states = 1ULL << 60,
                             .cuts = 5,
                             .probes = 7,
                             .family = "all ideals",
                             .truncated = true,
                             .notes = {"contracted a1: 3", "# not a comment"}};
  return plan;
}

bool equal(const Plan& a, const Plan& b) {
  const auto heading = [](const Plan& p) {
    return std::tie(p.name, p.planner, p.kind, p.schedule, p.extra_in_flight, p.skip_transfer,
                    p.receive_slots, p.unused_devices, p.objective, p.search);
  };
  const auto same_stage = [](const Stage& x, const Stage& y) {
    return std::tie(x.name, x.operators, x.devices, x.micro_batch, x.k, x.in_flight, x.recompute,
                    x.tensor_parallel) == std::tie(y.name, y.operators, y.devices, y.micro_batch,
                                                   y.k, y.in_flight, y.recompute,
                                                   y.tensor_parallel);
  };
  return heading(a) == heading(b) &&
         std::equal(a.stages.begin(), a.stages.end(), b.stages.begin(), b.stages.end(), same_stage);
}

std::string plan_error(const std::string& text) {
  try {
    read_plan(YamlValue::parse(text, "f"), tiny_workload());
  } catch (const ConfigError& error) {
    return error.what();
  }
  return "no error";
}

}  // namespace pipegraph::test
