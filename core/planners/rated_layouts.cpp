#include "core/planners/rated_layouts.h"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "core/planners/candidates.h"

namespace pipegraph {
namespace {

Bytes largest_peak(const MemoryReport& memory) {
  Bytes most;
  for (const DeviceMemory& device : memory.devices) most = std::max(most, device.peak);
  return most;
}

}  // namespace

void RatedLayouts::add(Plan plan) {
  RatedLayout rated;
  rated.layout = {plan.kind, plan.extra_in_flight, plan.stages};
  number_places(rated.layout);
  const Evaluation evaluation = evaluate(workload_, plan, options_.evaluation);
  rated.seconds = evaluation.iteration_time.count();
  rated.memory = largest_peak(evaluation.prepared.memory);
  rated.plan = std::move(plan);
  if (rated.plan.schedule == options_.schedule) seen_.insert(key_of(rated.layout));
  rated_.push_back(std::move(rated));
}

void RatedLayouts::rate(std::vector<Layout> layouts, std::size_t most) {
  std::vector<std::pair<double, Layout>> fresh;
  for (Layout& layout : layouts)
    if (seen_.insert(key_of(layout)).second)
      fresh.emplace_back(estimate_.seconds(layout), std::move(layout));
  std::ranges::stable_sort(fresh, {}, [](const auto& item) { return item.first; });
  if (fresh.size() > most) fresh.resize(most);
  for (auto& [seconds, layout] : fresh)
    if (affordable(layout)) rate_one(std::move(layout));
}

double RatedLayouts::instructions(const Layout& layout) const {
  double count = 0.0;  // two passes, two messages each way, by share
  for (const Stage& stage : layout.stages)
    count += 6.0 * static_cast<double>(stage.devices.size()) *
             ((workload_.training.mini_batch - 1) / stage.micro_batch + 1);
  return count;
}

bool RatedLayouts::affordable(const Layout& layout) {
  const double count = instructions(layout);
  if (budget_.evaluations == 0 || count > budget_.instructions) {
    exhausted_ = true;
    return false;
  }
  --budget_.evaluations;
  budget_.instructions -= count;
  return true;
}

void RatedLayouts::rate_one(Layout layout) {
  PlannerOptions options = options_;
  options.kind = layout.kind;
  options.extra_in_flight = layout.extra_in_flight;
  for (std::size_t s = 0; s < layout.stages.size(); ++s)
    layout.stages[s].name = fmt::format("s{}", s);
  Plan plan = to_plan(workload_, options, {.stages = layout.stages});
  if (options_.device_use == DeviceUse::Exactly && !plan.unused_devices.empty()) return;
  const Evaluation evaluation = evaluate(workload_, plan, options_.evaluation);
  if (!evaluation.ok()) return;
  rated_.push_back({std::move(layout), std::move(plan), evaluation.iteration_time.count(),
                    std::nullopt, largest_peak(evaluation.prepared.memory)});
}

void RatedLayouts::rate_shared(RatedLayout& rated) {
  const double count = instructions(rated.layout);
  if (rated.shared_seconds || count > budget_.shared_instructions) return;
  budget_.shared_instructions -= count;
  EvaluationOptions options = options_.evaluation;
  options.links = LinkRates::Shared;
  rated.shared_seconds = evaluate(workload_, rated.plan, options).iteration_time.count();
}

}  // namespace pipegraph
