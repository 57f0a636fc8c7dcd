#include "core/planners/search/pair_costs.h"

#include <algorithm>
#include <cmath>

namespace pipegraph {

PairCosts::PairCosts(const SearchProblem& problem, const PairTable& pairs, const BatchCosts& costs)
    : problem_(problem),
      costs_(costs),
      most_devices_(std::min(problem.devices, costs.max_devices)),
      time_(costs.time.size()) {
  for (std::size_t row = 0; row < time_.size(); ++row) time_[row] = pairs.sums(costs.time[row]);
  work_ = pairs.sums(least_device_seconds(costs, most_devices_));
  for (double& work : work_) work /= costs.micro_batch;
}

double PairCosts::time(const StagePair& pair, int devices) const {
  const std::vector<double>& sums = time_[costs_.row_of_devices[static_cast<std::size_t>(devices)]];
  const double compute =
      (sums[static_cast<std::size_t>(pair.outer)] - sums[static_cast<std::size_t>(pair.inner)]) /
      costs_.micro_batch;
  const double communication =
      pair.transfer_seconds / devices + pair.latency_seconds / costs_.micro_batch;
  return problem_.communication == CommunicationRule::Sum ? compute + communication
                                                          : std::max(compute, communication);
}

int PairCosts::most_height(const StagePair& pair, int devices) const {
  if (std::isinf(problem_.memory)) return k_any_height;
  const int batches = (problem_.mini_batch + costs_.micro_batch - 1) / costs_.micro_batch;
  const double each =
      pair.saved * costs_.share[costs_.row_of_devices[static_cast<std::size_t>(devices)]];
  const double room = problem_.memory - pair.fixed;
  if (each * batches <= room) return k_any_height;
  return room < each ? 0 : static_cast<int>(room / each);
}

}  // namespace pipegraph
