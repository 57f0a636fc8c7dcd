#include "core/stage/stage_checks.h"

#include <fmt/ranges.h>

#include <algorithm>

#include "core/graph/node_set.h"

namespace pipegraph {
namespace {

constexpr std::size_t k_most_names = 5;

std::string quoted_names(const ComputationGraph& graph, const std::vector<OperatorId>& operators) {
  std::vector<std::string> names;
  for (const OperatorId id : operators) {
    if (names.size() == k_most_names) break;
    names.push_back(fmt::format("'{}'", graph.at(id).name));
  }
  const std::size_t more = operators.size() - names.size();
  return fmt::format("{}{}", fmt::join(names, ", "),
                     more > 0 ? fmt::format(" and {} more", more) : "");
}

void check_group(const Stage& stage, const std::string& label) {
  if (stage.devices.empty())
    throw ConfigError(stage.position, label + " has no devices", "at least one device");
  std::vector<DeviceId> sorted = stage.devices;
  std::sort(sorted.begin(), sorted.end());
  const auto twice = std::adjacent_find(sorted.begin(), sorted.end());
  if (twice != sorted.end())
    throw ConfigError(stage.position, fmt::format("{} has device {} twice", label, twice->value),
                      "different devices");
  if (!sorted.front().valid())
    throw ConfigError(stage.position, fmt::format("{} has device {}", label, sorted.front().value),
                      "device numbers from 0");
  if (stage.tensor_parallel != 1)
    throw ConfigError(stage.position,
                      fmt::format("{} has tensor_parallel {}, for which the model gives no costs",
                                  label, stage.tensor_parallel),
                      "tensor_parallel: 1");
}

void check_batching(const Stage& stage, const std::string& label) {
  if (stage.micro_batch < std::max(1, stage.replicas()))
    throw ConfigError(stage.position,
                      fmt::format("{} has a micro-batch of {} samples for {} replicas", label,
                                  stage.micro_batch, stage.replicas()),
                      "a micro_batch of at least one sample per replica");
  if (stage.k < 1)
    throw ConfigError(stage.position, fmt::format("{} has k = {}", label, stage.k),
                      "a k of at least 1");
  if (stage.in_flight && *stage.in_flight < 1)
    throw ConfigError(stage.position, fmt::format("{} has in_flight {}", label, *stage.in_flight),
                      "at least one sample in flight");
}

void check_recomputed(const ComputationGraph& graph, const Stage& stage, const std::string& label) {
  std::vector<OperatorId> foreign;
  std::set_difference(stage.recompute.begin(), stage.recompute.end(), stage.operators.begin(),
                      stage.operators.end(), std::back_inserter(foreign));
  if (!foreign.empty())
    throw ConfigError(
        stage.position,
        fmt::format("{} recomputes {} of another stage", label, quoted_names(graph, foreign)),
        "operators of the stage itself");
}

}  // namespace

std::string stage_label(std::span<const Stage> stages, StageId id) {
  const std::string& name = stages[id.index()].name;
  return name.empty() ? fmt::format("stage {}", id.value) : fmt::format("stage '{}'", name);
}

void check_each_stage(std::span<const Stage> stages) {
  for (std::size_t s = 0; s < stages.size(); ++s) {
    const std::string label = stage_label(stages, make_id<StageId>(s));
    if (stages[s].operators.empty())
      throw ConfigError(stages[s].position, label + " has no operators", "at least one operator");
    check_group(stages[s], label);
    check_batching(stages[s], label);
  }
}

std::vector<StageId> assign_operators(const ComputationGraph& graph,
                                      std::span<const Stage> stages) {
  std::vector<StageId> stage_of(graph.size());
  for (std::size_t s = 0; s < stages.size(); ++s) {
    const auto id = make_id<StageId>(s);
    for (const OperatorId op : stages[s].operators) {
      check(op.valid() && op.index() < graph.size(), "a stage holds operators of the graph");
      StageId& owner = stage_of[op.index()];
      if (owner.valid())
        throw ConfigError(stages[s].position,
                          fmt::format("operator '{}' is in {} and in {}", graph.at(op).name,
                                      stage_label(stages, owner), stage_label(stages, id)),
                          "every operator in exactly one stage");
      owner = id;
    }
    check_recomputed(graph, stages[s], stage_label(stages, id));
  }
  std::vector<OperatorId> missing;
  for (std::size_t op = 0; op < graph.size(); ++op)
    if (!stage_of[op].valid()) missing.push_back(make_id<OperatorId>(op));
  if (!missing.empty())
    throw ConfigError(
        stages.empty() ? SourcePosition{} : stages.front().position,
        fmt::format("no stage has {} {}", missing.size() == 1 ? "operator" : "operators",
                    quoted_names(graph, missing)),
        "every operator in exactly one stage");
  return stage_of;
}

void check_convexity(const ComputationGraph& graph, std::span<const Stage> stages) {
  for (std::size_t s = 0; s < stages.size(); ++s) {
    NodeSet nodes(graph.size());
    for (const OperatorId op : stages[s].operators) nodes.insert(op.value);
    const std::vector<Digraph::Node> path = find_convexity_violation(graph.edges(), nodes);
    if (path.empty()) continue;
    std::vector<std::string> names;
    for (const Digraph::Node node : path) names.push_back(graph.at(OperatorId{node}).name);
    throw ConfigError(
        stages[s].position,
        fmt::format("{} is not convex: the path {} leaves it and comes back",
                    stage_label(stages, make_id<StageId>(s)), fmt::join(names, " -> ")),
        "a stage that holds every operator between its own");
  }
}

}  // namespace pipegraph
