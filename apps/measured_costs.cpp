#include "apps/measured_costs.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <memory>
#include <set>
#include <utility>
#include <vector>

#include "apps/this_machine.h"
#include "core/model/profiled_costs.h"
#include "core/profile/measured_program.h"
#include "core/profile/program_hash.h"
#include "exec/measure/machine.h"

namespace pipegraph {
namespace {

ProfiledCosts::Profile profile_of(const MeasuredCosts& costs, const ComputationGraph& graph) {
  std::map<std::pair<OperatorId, Pass>, std::vector<MeasuredPass::Point>> points;
  for (const MeasuredOperator& measured : costs.file.operators) {
    const auto id = graph.find(measured.name);
    if (!id)
      throw ConfigError({.file = costs.name, .key = "operators"},
                        fmt::format("the model has no operator '{}'", measured.name),
                        "a profile of this model");
    points[{*id, measured.pass}].push_back({measured.samples, measured.time.mean});
  }
  ProfiledCosts::Profile profile{
      .name = costs.name,
      .extrapolation = costs.request.extrapolate ? Extrapolation::Linear : Extrapolation::Refuse};
  for (auto& [key, list] : points)
    profile.passes.push_back({key.first, key.second, std::move(list)});
  return profile;
}

/// Before the model's hash, which differs where data has other bytes.
void check_precision(const MeasuredCosts& costs, Precision wanted) {
  if (!costs.file.precision || same_arithmetic(costs.file, wanted)) return;
  const std::string_view measured = to_text(*costs.file.precision);
  throw ConfigError(
      {.file = costs.name, .key = "costs.precision"},
      fmt::format("times in {}, where training computes in {}", measured, to_text(wanted)),
      fmt::format("a profile in {}, or training.precision: {}", to_text(wanted), measured));
}

/// Every operator with work must have been measured: a sum of some of them predicts nothing.
void check_complete(const MeasuredCosts& costs, const ComputationGraph& graph) {
  std::set<std::pair<std::string, bool>> measured;
  for (const MeasuredOperator& entry : costs.file.operators)
    measured.emplace(entry.name, entry.pass == Pass::Forward);
  for (const Operator& op : graph.operators())
    for (const bool forward : {true, false}) {
      const PassWork& work = forward ? op.forward : op.backward;
      if (work.empty() || measured.contains({op.name, forward})) continue;
      throw ConfigError(
          {.file = costs.name, .key = "operators"},
          fmt::format("'{}' was not measured {}", op.name, forward ? "forward" : "backward"),
          "a profile of the whole model (pipegraph profile)");
    }
}

/// Optimizer steps at this bandwidth on devices whose own is unknown.
Topology with_bandwidth(const Topology& topology, BytesPerSecond bandwidth) {
  std::vector<Device> devices = topology.devices();
  for (Device& device : devices)
    if (device.memory_bandwidth.value <= 0.0) device.memory_bandwidth = bandwidth;
  return topology.with_devices(std::move(devices));
}

/// Profiled costs with the fallback they refer to.
struct OwnedCosts {
  OwnedCosts(const ComputationGraph& graph, ProfiledCosts::Profile profile)
      : roofline(graph), profiled(graph, std::move(profile), roofline) {}
  RooflineCosts roofline;
  ProfiledCosts profiled;
};

/// Why the plan's own times do not count; empty if they do.
std::string obstacle(const MeasuredCosts& costs, const MeasuredPlan* plan) {
  if (plan == nullptr) return "this plan was not measured";
  return costs.request.any_machine ? "" : difference(costs.file.machine, this_machine());
}

}  // namespace

std::optional<MeasuredCosts> load_costs(const Scenario& scenario, const ComputationGraph& graph) {
  if (!scenario.costs) return std::nullopt;
  const YamlValue& path = scenario.costs->file;
  MeasuredCosts costs{.file = read_cost_file(path.load_named()),
                      .request = *scenario.costs,
                      .name = path.as_path().string()};
  check_precision(costs, scenario.training.precision);
  if (!costs.file.model_hash.empty() && costs.file.model_hash != model_hash(graph))
    throw ConfigError(
        {.file = costs.name, .key = "costs.model_hash"},
        fmt::format("{}, '{}' as it was profiled", costs.file.model_hash, costs.file.model),
        fmt::format("{}, '{}' as it is here; profile it again", model_hash(graph), graph.name()));
  if (!costs.file.operators.empty()) check_complete(costs, graph);
  return costs;
}

void use_costs(const MeasuredCosts& costs, const Scenario& scenario, Workload& workload) {
  if (auto table = transfer_table(costs.file))
    workload.topology =
        std::make_shared<const Topology>(workload.topology->with_transfers(std::move(*table)));
  if (costs.file.optimizer_bandwidth)
    workload.topology = std::make_shared<const Topology>(
        with_bandwidth(*workload.topology, *costs.file.optimizer_bandwidth));
  if (costs.file.operators.empty()) {
    const bool planned = std::ranges::any_of(scenario.plans, [](const PlanRequest& request) {
      return request.source == PlanRequest::Source::Planner;
    });
    if (!planned) workload.costs = std::make_shared<const FreeCosts>();
    return;
  }
  const auto owned =
      std::make_shared<const OwnedCosts>(*workload.graph, profile_of(costs, *workload.graph));
  workload.costs = std::shared_ptr<const CostModel>(owned, &owned->profiled);
}

CostedProgram with_costs(const Program& program, const std::string& program_hash,
                         const std::optional<MeasuredCosts>& costs, const Workload& workload) {
  if (!costs) return {program, std::string(workload.costs->source())};
  const MeasuredPlan* plan = find_plan(costs->file, program_hash);
  const std::string why_not = obstacle(*costs, plan);
  const Seconds dispatch = costs->file.dispatch.value_or(Seconds{0});
  if (why_not.empty()) {
    const MissingSize missing =
        costs->request.extrapolate ? MissingSize::Proportion : MissingSize::Refuse;
    return {with_dispatch(with_measured_times(program, *plan, missing), dispatch),
            "plan profile " + costs->name};
  }
  if (costs->file.operators.empty())
    throw ConfigError(
        {.file = costs->name, .key = "plans"},
        fmt::format("there are no times for this plan ({}) and none of operators", why_not),
        "a profile of this plan on this machine, or of the model's operators");
  return {with_dispatch(program, dispatch),
          fmt::format("operator profile {}: {}", costs->name, why_not)};
}

}  // namespace pipegraph
