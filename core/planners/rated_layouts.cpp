#include "core/planners/rated_layouts.h"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "core/planners/candidates.h"

namespace pipegraph {
namespace {

/// A pass itself and a message each way, about.
constexpr double k_instructions_per_pass = 3.0;
/// What placing and ranking take besides the passes, in passes.
constexpr double k_passes_per_layout = 2'000.0;

Bytes largest_peak(const MemoryReport& memory) {
  Bytes most;
  for (const DeviceMemory& device : memory.devices) most = std::max(most, device.peak);
  return most;
}

}  // namespace

void RatedLayouts::add(Plan plan) {
  RatedLayout rated;
  const bool same_schedule = plan.schedule == options_.schedule;
  // What is made of the layout gets the schedule of the options, which may know no more in flight.
  rated.layout = {plan.kind, same_schedule ? plan.extra_in_flight : options_.extra_in_flight,
                  plan.stages};
  number_places(rated.layout);
  const Evaluation evaluation = evaluate(workload_, plan, options_.evaluation);
  rated.seconds = evaluation.iteration_time.count();
  rated.memory = largest_peak(evaluation.prepared.memory);
  rated.plan = std::move(plan);
  if (same_schedule) seen_.insert(key_of(rated.layout));
  rated_.push_back(std::move(rated));
}

std::vector<RatedLayouts::Candidate> RatedLayouts::best_by_estimate(std::vector<Layout> layouts,
                                                                    std::size_t most) {
  std::vector<Candidate> fresh;
  for (Layout& layout : layouts) fresh.push_back({estimate_.seconds(layout), std::move(layout)});
  std::ranges::stable_sort(fresh, {}, &Candidate::seconds);
  std::vector<Candidate> best;
  for (Candidate& candidate : fresh) {
    if (best.size() == most) break;
    if (seen_.insert(key_of(candidate.layout)).second) best.push_back(std::move(candidate));
  }
  return best;
}

/// Puts the recurrence's time into `candidate`; false: it is not worth an evaluation.
bool RatedLayouts::rank(Candidate& candidate) {
  budget_.ranked_passes -= passes(candidate.layout) + k_passes_per_layout;
  if (budget_.ranked_passes < 0.0) {
    exhausted_ = true;
    return false;
  }
  ++ranked_;
  PlannerOptions options = options_;
  options.kind = candidate.layout.kind;
  Layout placed = candidate.layout;
  placed.stages = placer_.place(std::move(placed.stages), options, PlacementEffort::Quick);
  const auto figures = times_.figures(placed);
  if (!figures) return true;
  candidate.seconds = figures->seconds;
  return !figures->too_large;
}

void RatedLayouts::rate(std::vector<Layout> layouts, const RatingEffort& effort) {
  std::vector<Candidate> candidates = best_by_estimate(std::move(layouts), effort.ranked);
  std::erase_if(candidates, [&](Candidate& candidate) { return !rank(candidate); });
  std::ranges::stable_sort(candidates, {}, &Candidate::seconds);
  const std::size_t before = rated_.size();
  for (Candidate& candidate : candidates) {
    if (rated_.size() - before == effort.evaluated || candidate.seconds > effort.too_long) break;
    if (affordable(candidate.layout)) rate_one(std::move(candidate.layout));
  }
}

/// Forwards and backwards of all replicas.
double RatedLayouts::passes(const Layout& layout) const {
  double count = 0.0;
  for (const Stage& stage : layout.stages)
    count += 2.0 * static_cast<double>(stage.devices.size()) *
             ((workload_.training.mini_batch - 1) / stage.micro_batch + 1);
  return count;
}

bool RatedLayouts::affordable(const Layout& layout) {
  const double count = k_instructions_per_pass * passes(layout);
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
  const double count = k_instructions_per_pass * passes(rated.layout);
  if (rated.shared_seconds || count > budget_.shared_instructions) return;
  budget_.shared_instructions -= count;
  EvaluationOptions options = options_.evaluation;
  options.links = LinkRates::Shared;
  rated.shared_seconds = evaluate(workload_, rated.plan, options).iteration_time.count();
}

}  // namespace pipegraph
