#include "core/planners/rated_layouts.h"

#include <fmt/format.h>

#include <algorithm>
#include <functional>
#include <numeric>
#include <utility>

#include "core/planners/candidates.h"
#include "core/planners/rerun.h"

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
  rated.busiest_link = links_.seconds(evaluation.prepared.stages);
  rated.of_another = true;
  rated.plan = std::move(plan);
  if (same_schedule) seen_.insert(key_of(rated.layout));
  rated_.push_back(std::move(rated));
}

std::vector<RankedLayout> RatedLayouts::best_by_estimate(std::vector<Layout> layouts,
                                                         std::size_t most) {
  std::vector<RankedLayout> fresh;
  for (Layout& layout : layouts) fresh.push_back({std::move(layout)});
  for (RankedLayout& candidate : fresh) candidate.seconds = estimate_.seconds(candidate.layout);
  std::ranges::stable_sort(fresh, {}, &RankedLayout::seconds);
  std::vector<RankedLayout> best;
  for (RankedLayout& candidate : fresh) {
    if (best.size() == most) break;
    if (seen_.insert(key_of(candidate.layout)).second) best.push_back(std::move(candidate));
  }
  return best;
}

/// Where devices differ: the fastest for the places that compute most, or, if all are equally fast,
/// those with most memory for the places that need most. Empty where they do not.
std::vector<DeviceId> RatedLayouts::first_devices(const Layout& layout) {
  if (best_first_.empty()) return {};
  std::vector<double> loads;  // by place
  for (const Stage& stage : layout.stages)
    loads.insert(loads.end(), stage.devices.size(),
                 estimate_.stage_seconds(stage) / stage.micro_batch);
  if (equally_fast_) {
    PlannerOptions options = options_;
    options.extra_in_flight = layout.extra_in_flight;
    const StageGraph unplaced(*workload_.graph, layout.stages, layout.kind, options_.skip_transfer);
    const std::vector<Bytes> needs = memory_needs(workload_, unplaced, options);
    for (std::size_t place = 0; place < loads.size(); ++place)
      loads[place] = needs[place].as_double();
  }
  std::vector<std::size_t> order(loads.size());
  std::iota(order.begin(), order.end(), std::size_t{0});
  std::ranges::stable_sort(order, std::greater<>{},
                           [&](std::size_t place) { return loads[place]; });
  std::vector<DeviceId> devices = best_first_;
  for (std::size_t i = 0; i < order.size(); ++i) devices[order[i]] = best_first_[i];
  return devices;
}

/// Puts the recurrence's time into `candidate`; false: it is not worth an evaluation.
bool RatedLayouts::rank_one(RankedLayout& candidate, LinkRates links) {
  budget_.ranked_passes -= passes(candidate.layout) + k_passes_per_layout;
  if (budget_.ranked_passes < 0.0) {
    exhausted_ = true;
    return false;
  }
  ++ranked_;
  PlannerOptions options = options_;
  options.kind = candidate.layout.kind;
  Layout placed = candidate.layout;
  const PlacementStart start{PlacementEffort::Quick, first_devices(placed)};
  placed.stages = placer_.place(std::move(placed.stages), options, start);
  const StageGraph stages(*workload_.graph, placed.stages, placed.kind, options_.skip_transfer);
  const auto figures = times_.figures(stages, placed.extra_in_flight);
  if (figures && figures->too_large) return false;
  if (figures) candidate.seconds = figures->seconds;
  if (links == LinkRates::Shared) candidate.busiest_link = links_.seconds(stages);
  return true;
}

std::vector<RankedLayout> RatedLayouts::rank(std::vector<Layout> layouts, std::size_t most,
                                             LinkRates links) {
  std::vector<RankedLayout> ranked = best_by_estimate(std::move(layouts), most);
  std::erase_if(ranked, [&](RankedLayout& candidate) { return !rank_one(candidate, links); });
  return ranked;
}

void RatedLayouts::rate(std::vector<RankedLayout>& ranked, const RatingEffort& effort) {
  const auto merit = [&](const RankedLayout& candidate) {
    return effort.links == LinkRates::Own ? candidate.seconds : least_shared(candidate);
  };
  std::ranges::stable_sort(ranked, {}, merit);
  std::size_t evaluated = 0;
  for (RankedLayout& candidate : ranked) {
    if (evaluated == effort.evaluated || merit(candidate) > effort.too_long) break;
    if (candidate.taken) ++evaluated;  // as good as another
    if (candidate.taken || !affordable(candidate.layout)) continue;
    candidate.taken = true;
    if (!rate_one(std::move(candidate.layout))) continue;
    ++evaluated;
    rated_.back().busiest_link = candidate.busiest_link;
  }
}

/// Forwards and backwards of all replicas.
double RatedLayouts::passes(const Layout& layout) const {
  double count = 0.0;
  for (const Stage& stage : layout.stages) {
    const std::int32_t micro_batches = (workload_.training.mini_batch - 1) / stage.micro_batch + 1;
    count += 2.0 * static_cast<double>(stage.devices.size()) * micro_batches;
  }
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

/// False: it does not fit after all.
bool RatedLayouts::rate_one(Layout layout) {
  PlannerOptions options = options_;
  options.kind = layout.kind;
  options.extra_in_flight = layout.extra_in_flight;
  for (std::size_t s = 0; s < layout.stages.size(); ++s)
    layout.stages[s].name = fmt::format("s{}", s);
  Plan plan = to_plan(workload_, options,
                      {.stages = layout.stages, .first_devices = first_devices(layout)});
  if (options_.device_use == DeviceUse::Exactly && !plan.unused_devices.empty()) return false;
  const Evaluation evaluation = evaluate(workload_, plan, options_.evaluation);
  if (!evaluation.ok()) return false;
  RatedLayout rated;
  rated.layout = std::move(layout);
  rated.plan = std::move(plan);
  rated.seconds = evaluation.iteration_time.count();
  rated.memory = largest_peak(evaluation.prepared.memory);
  rated_.push_back(std::move(rated));
  return true;
}

void RatedLayouts::rate_shared(RatedLayout& rated, double& budget) {
  const double count = k_instructions_per_pass * passes(rated.layout);
  if (rated.shared_seconds || count > budget) return;
  budget -= count;
  rated.shared_seconds = time_on_shared_links(workload_, rated.plan, options_.evaluation).count();
}

}  // namespace pipegraph
