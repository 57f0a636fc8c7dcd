#include "core/planners/search/optimise.h"

#include <algorithm>
#include <cmath>

namespace pipegraph {
namespace {

constexpr double k_proof = 1e-9;  // relative; two bottlenecks closer than this are equal

double largest_memory(const SearchProblem& problem, const BatchCosts& costs,
                      const SearchPlan& plan) {
  double most = 0.0;
  for (const SearchStage& stage : plan.stages)
    most = std::max(most, memory_needed(problem, costs, stage.blocks, stage.devices, stage.height));
  return most;
}

}  // namespace

double bottleneck_lower_bound(const SearchProblem& problem, const BatchCosts& costs) {
  const int limit = std::min(problem.devices, costs.max_devices);
  double work = 0.0;
  for (const double seconds : least_device_seconds(costs, limit)) work += seconds;
  double largest = 0.0;
  for (std::size_t block = 0; block < problem.blocks(); ++block) {
    double fastest = std::numeric_limits<double>::infinity();
    for (const std::vector<double>& row : costs.time) fastest = std::min(fastest, row[block]);
    largest = std::max(largest, fastest);
  }
  return std::max(work / problem.devices, largest) / costs.micro_batch;
}

void use_spare_devices(const SearchProblem& problem, const BatchCosts& costs, SearchPlan& plan) {
  int spare = problem.devices - plan.devices();
  const int limit = std::min(problem.devices, costs.max_devices);
  std::vector<std::optional<StageTimes>> times(plan.stages.size());
  while (spare > 0) {
    const auto slowest = std::ranges::max_element(plan.stages, {}, &SearchStage::time_per_sample);
    auto& time = times[static_cast<std::size_t>(slowest - plan.stages.begin())];
    if (!time) time.emplace(problem, costs, slowest->blocks);
    const int most = std::min(limit, slowest->devices + spare);
    int more = slowest->devices + 1;
    while (more <= most && (problem.allowed_devices(more) != more ||
                            time->per_sample(more) >= slowest->time_per_sample * (1.0 - k_proof)))
      ++more;
    if (more > most) break;
    spare -= more - slowest->devices;
    slowest->devices = more;
    slowest->time_per_sample = time->per_sample(more);
  }
  plan.max_time_per_sample = 0.0;
  for (const SearchStage& stage : plan.stages)
    plan.max_time_per_sample = std::max(plan.max_time_per_sample, stage.time_per_sample);
}

SearchOutcome least_bottleneck(const SearchProblem& problem, const BatchCosts& costs,
                               Prober& prober, const SearchLimits& limits) {
  SearchOutcome outcome;
  outcome.lower_bound = bottleneck_lower_bound(problem, costs);
  const auto try_target = [&](double target) {
    Prober::Answer answer = prober.probe({target, limits.memory, limits.depth});
    if (answer.plan) {
      use_spare_devices(problem, costs, *answer.plan);
      outcome.plan = std::move(answer.plan);
      return true;
    }
    if (answer.final) outcome.lower_bound = std::max(outcome.lower_bound, target);
    outcome.exact = answer.final;
    return false;
  };
  if (!try_target(limits.incumbent * (1.0 - k_proof))) return outcome;
  double low = outcome.lower_bound;
  for (int step = 0; step < 60; ++step) {
    const double value = outcome.plan->max_time_per_sample;
    const double below = value * (1.0 - k_proof);
    if (below <= low) {
      outcome.exact = low <= outcome.lower_bound;
      break;
    }
    const bool prove = step % 4 == 3 || step > 24 || (low + value) / 2.0 >= below;
    if (try_target(prove ? below : (low + value) / 2.0)) continue;
    if (prove) break;
    low = (low + value) / 2.0;
  }
  return outcome;
}

SearchPlan break_ties(const SearchProblem& problem, const BatchCosts& costs, Prober& prober,
                      SearchPlan plan, const TieLimits& limits) {
  const double target = plan.max_time_per_sample * (1.0 + limits.slack);
  const auto better = [&](double memory, int depth) {
    Prober::Answer answer = prober.probe({target, memory, depth});
    if (!answer.plan) return false;
    plan = std::move(*answer.plan);
    return true;
  };
  while (plan.depth() > 1 && better(limits.memory, plan.depth() - 1)) {
  }
  const int depth = plan.depth();
  for (int step = 0; step < 12; ++step) {  // a strict gain of a thousandth each, or stop
    const double most = largest_memory(problem, costs, plan);
    if (!(most > 0.0) || !better(most * (step < 6 ? 0.9 : 0.999), depth)) break;
  }
  use_spare_devices(problem, costs, plan);
  return plan;
}

}  // namespace pipegraph
