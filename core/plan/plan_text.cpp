// Writing a plan as YAML: one key a line, operators and devices as lists in brackets.
#include "core/plan/plan_text.h"

#include <fmt/format.h>

#include <cmath>
#include <span>

#include "core/base/yaml_scalar.h"

namespace pipegraph {
namespace {

constexpr std::size_t k_line_width = 100;

/// "[a, b, c]", broken into lines of at most 100 columns that are indented by `indent`.
std::string bracketed(const std::vector<std::string>& items, std::size_t indent) {
  std::string result = "[";
  std::size_t column = indent + 12;  // behind the longest key
  for (std::size_t i = 0; i < items.size(); ++i) {
    const std::size_t length = items[i].size() + 2;
    if (i > 0) result += column + length > k_line_width ? "," : ", ";
    if (i > 0 && column + length > k_line_width) {
      result += '\n' + std::string(indent + 2, ' ');
      column = indent + 2;
    }
    result += items[i];
    column += length;
  }
  return result + "]";
}

std::vector<std::string> names(const ComputationGraph& graph,
                               const std::vector<OperatorId>& operators) {
  std::vector<std::string> result;
  for (const OperatorId id : operators) result.push_back(to_yaml_scalar(graph.at(id).name));
  return result;
}

std::vector<std::string> numbers(const std::vector<DeviceId>& devices) {
  std::vector<std::string> result;
  for (const DeviceId device : devices) result.push_back(fmt::format("{}", device.value));
  return result;
}

std::string recompute_text(const Stage& stage, const ComputationGraph& graph) {
  if (stage.recompute.empty()) return "none";
  if (stage.recompute == stage.operators) return "all";
  return bracketed(names(graph, stage.recompute), 4);
}

std::string stage_text(const Stage& stage, const ComputationGraph& graph) {
  std::string text = fmt::format("  - name: {}\n", to_yaml_scalar(stage.name));
  text += fmt::format("    operators: {}\n", bracketed(names(graph, stage.operators), 4));
  text += fmt::format("    devices: {}\n", bracketed(numbers(stage.devices), 4));
  text += fmt::format("    micro_batch: {}\n", stage.micro_batch);
  text += fmt::format("    k: {}\n", stage.k);
  if (stage.in_flight) text += fmt::format("    in_flight: {}\n", *stage.in_flight);
  text += fmt::format("    recompute: {}\n", recompute_text(stage, graph));
  text += fmt::format("    tensor_parallel: {}\n", stage.tensor_parallel);
  return text;
}

std::string objective_text(const Objective& objective) {
  const std::string value =
      std::isfinite(objective.value) ? fmt::format("{}", objective.value) : "null";
  return fmt::format("objective:\n  name: {}\n  value: {}\n", to_yaml_scalar(objective.name),
                     value);
}

std::string search_text(const SearchReport& search) {
  std::string text = fmt::format("search:\n  time: {}\n", to_exact_text(search.time));
  if (search.lower_bound_s) text += fmt::format("  lower_bound_s: {}\n", *search.lower_bound_s);
  if (search.gap) text += fmt::format("  gap: {}\n", *search.gap);
  text += fmt::format("  exact: {}\n  states: {}\n  cuts: {}\n  probes: {}\n", search.exact,
                      search.states, search.cuts, search.probes);
  text += fmt::format("  family: {}\n  truncated: {}\n", to_yaml_scalar(search.family),
                      search.truncated);
  if (!search.notes.empty()) text += "  notes:\n";
  for (const std::string& note : search.notes)
    text += fmt::format("    - {}\n", to_yaml_scalar(note));
  return text;
}

}  // namespace

std::string to_yaml_text(const Plan& plan, const ComputationGraph& graph) {
  std::string text = fmt::format("name: {}\nplanner: {}\n", to_yaml_scalar(plan.name),
                                 to_yaml_scalar(plan.planner));
  text += fmt::format("kind: {}\nschedule: {}\n", to_text(plan.kind), plan.schedule);
  text += fmt::format("extra_in_flight: {}\nskip_transfer: {}\n", plan.extra_in_flight,
                      to_text(plan.skip_transfer));
  if (plan.receive_slots > 0) text += fmt::format("receive_slots: {}\n", plan.receive_slots);
  text += "stages:\n";
  for (const Stage& stage : plan.stages) text += stage_text(stage, graph);
  text += fmt::format("unused_devices: {}\n", bracketed(numbers(plan.unused_devices), 0));
  if (plan.objective) text += objective_text(*plan.objective);
  if (plan.search) text += search_text(*plan.search);
  return text;
}

}  // namespace pipegraph
