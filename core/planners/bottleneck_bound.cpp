#include "core/planners/bottleneck_bound.h"

#include <algorithm>

#include "core/planners/operator_times.h"
#include "core/planners/search/optimise.h"

namespace pipegraph {
namespace {

constexpr double k_equal = 1e-9;  // relative

}  // namespace

BottleneckBound::Kind::Kind(const Workload& workload, SearchInput common, const ComputeRate& rate)
    : input(std::move(common)), times(workload, input) {
  input.rate = rate;
}

BottleneckBound::BottleneckBound(const Workload& workload) {
  const SearchInput common = search_input(workload);
  for (const ComputeRate& rate : kinds_of_devices(workload))
    kinds_.emplace_back(workload, common, rate);
}

double BottleneckBound::at(std::int32_t micro_batch) {
  const SearchProblem& problem = kinds_.front().input.problem;
  BatchCosts fastest = batch_costs(problem, kinds_.front().times, micro_batch);
  for (auto kind = std::next(kinds_.begin()); kind != kinds_.end(); ++kind) {
    const BatchCosts costs = batch_costs(problem, kind->times, micro_batch);
    for (std::size_t row = 0; row < fastest.time.size(); ++row)
      for (std::size_t block = 0; block < fastest.time[row].size(); ++block)
        fastest.time[row][block] = std::min(fastest.time[row][block], costs.time[row][block]);
  }
  return bottleneck_lower_bound(problem, fastest);
}

Proposal BottleneckBound::judge(Proposal proposal, std::int32_t micro_batch) {
  const double value = proposal.objective.value;
  const double bound = std::min(at(micro_batch), value);
  proposal.search.lower_bound_s = bound;
  proposal.search.exact = value <= bound * (1.0 + k_equal);
  if (bound > 0.0) proposal.search.gap = value / bound - 1.0;
  return proposal;
}

}  // namespace pipegraph
