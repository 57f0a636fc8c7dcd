#include "core/planners/search/pair_devices.h"

#include <algorithm>
#include <cmath>
#include <limits>

namespace pipegraph {

PairDevices::PairDevices(const SearchProblem& problem, const PairTable& pairs,
                         const BatchCosts& costs)
    : problem_(problem),
      pairs_(pairs),
      costs_(costs),
      batches_((problem.mini_batch + costs.micro_batch - 1) / costs.micro_batch),
      device_limit_(std::min(problem.devices, costs.max_devices)),
      per_batch_(1.0 / costs.micro_batch),
      sum_(problem.communication == CommunicationRule::Sum),
      sums_(costs.time.size()),
      sums_of_devices_(costs.row_of_devices.size(), nullptr),
      work_(pairs.sums(least_device_seconds(costs, device_limit_))) {
  for (double& work : work_) work *= per_batch_;
  for (std::size_t row = 1; row < costs.time.size(); ++row)
    for (std::size_t block = 0; block < problem.blocks(); ++block)
      monotone_ = monotone_ && costs.time[row][block] <= costs.time[row - 1][block];
}

void PairDevices::aim(double target, double memory) {
  target_ = target;
  memory_ = memory;
  known_.assign(pairs_.pairs().size(), k_unknown);
  at_least_.resize(pairs_.ideals());
  for (std::size_t i = 0; i < at_least_.size(); ++i)
    at_least_[i] = work_[i] * (1.0 - 1e-9) / target_;
}

const double* PairDevices::row_sums(int devices) {
  const std::size_t row = costs_.row_of_devices[static_cast<std::size_t>(devices)];
  if (sums_[row].empty()) {
    sums_[row] = pairs_.sums(costs_.time[row]);
    for (double& seconds : sums_[row]) seconds *= per_batch_;
  }
  return sums_[row].data();
}

std::uint16_t PairDevices::price_at(std::size_t position) {
  const StagePair& pair = pairs_.pairs()[position];
  return static_cast<std::uint16_t>(first_allowed(pair, price(pair)));
}

/// The least allowed count from `devices` on that meets the target; 0: none.
int PairDevices::first_allowed(const StagePair& pair, int devices) {
  int d = problem_.allowed_devices(devices);
  while (d > devices && d <= device_limit_ && time(pair, d) > target_)
    d = problem_.allowed_devices(d + 1);
  return d > device_limit_ ? 0 : d;
}

/// The same bound with what crosses the stage's borders, which no device count makes less than
/// the messages' latency. Infinite where that alone is too much.
double PairDevices::at_least(const StagePair& pair) const {
  const double compute = at_least(pair.inner, pair.outer);
  if (target_ == std::numeric_limits<double>::infinity()) return compute;
  const double room = target_ - pair.latency_seconds * per_batch_;
  if (room <= 0.0) return std::numeric_limits<double>::infinity();
  const double transfer = pair.transfer_seconds * (1.0 - 1e-9);
  return sum_ ? (compute * target_ + transfer) / room : std::max(compute, transfer / room);
}

/// The least devices, allowed or not, on which the pair meets the target; 0: none.
int PairDevices::price(const StagePair& pair) {
  const double least = at_least(pair);
  if (!(least <= device_limit_)) return 0;
  const int start = std::max(1, static_cast<int>(std::ceil(least)));
  if (!monotone_) {
    for (int d = start; d <= device_limit_; ++d)
      if (time(pair, d) <= target_) return d;
    return 0;
  }
  if (time(pair, start) <= target_) return start;
  int low = start;  // too slow
  int high = start + 1;
  for (int stride = 1; high < device_limit_ && time(pair, high) > target_; stride *= 2) {
    low = high;
    high += stride;
  }
  high = std::min(high, device_limit_);
  if (high <= low || time(pair, high) > target_) return 0;
  while (high - low > 1) {
    const int middle = low + (high - low) / 2;
    (time(pair, middle) <= target_ ? high : low) = middle;
  }
  return high;
}

int PairDevices::needed_for_memory(const StagePair& pair, int height) const {
  const double room = memory_ - pair.fixed;
  if (room < 0.0) return 0;
  const double per_share = pair.saved * std::min(height, batches_);
  if (per_share <= 0.0) return 1;
  const double share = std::floor(room / per_share);
  if (share < 1.0) return 0;
  if (share >= costs_.micro_batch) return 1;
  return static_cast<int>(std::ceil(costs_.micro_batch / share));
}

int PairDevices::needed(std::size_t position, int height) {
  const int by_time = needed_for_time(position);
  if (by_time == 0) return 0;
  const StagePair& pair = pairs_.pairs()[position];
  const int by_memory = needed_for_memory(pair, height);
  if (by_memory == 0 || by_memory > device_limit_) return 0;
  if (by_memory <= by_time) return by_time;
  if (monotone_) return first_allowed(pair, by_memory);
  for (int d = by_memory; d <= device_limit_; ++d)
    if (d == problem_.allowed_devices(d) && time(pair, d) <= target_) return d;
  return 0;
}

}  // namespace pipegraph
