// How many devices the stages between nested ideals need to meet a target time per sample within
// the memory, at one micro-batch size; worked out for the pairs that are asked for.
#pragma once

#include <algorithm>
#include <cstdint>
#include <vector>

#include "core/planners/search/pairs.h"

namespace pipegraph {

class PairDevices {
 public:
  /// All must outlive this.
  PairDevices(const SearchProblem& problem, const PairTable& pairs, const BatchCosts& costs);

  /// Forgets all about the last target. Seconds per sample, and bytes per device.
  void aim(double target, double memory);

  int device_limit() const { return device_limit_; }  ///< of one stage
  /// The least devices of a pair with so many stages from it to a sink; 0: impossible.
  int needed(std::size_t position, int height);
  /// The same whatever the memory.
  int needed_for_time(std::size_t position) {
    std::uint16_t& known = known_[position];
    if (known == k_unknown) known = price_at(position);
    return known;
  }
  /// From now on the pair is impossible.
  void rule_out(std::size_t position) { known_[position] = 0; }
  /// False: not on `devices` or fewer. True may be wrong where that is quicker to say.
  bool may_do_with(std::size_t position, int devices) {
    return !monotone_ || known_[position] != k_unknown ||
           time(pairs_.pairs()[position], std::min(device_limit_, devices)) <= target_;
  }
  /// A bound on the devices of a pair that costs next to nothing; may exceed the limit.
  double at_least(std::int32_t inner, std::int32_t outer) const {
    return at_least_[static_cast<std::size_t>(outer)] - at_least_[static_cast<std::size_t>(inner)];
  }

 private:
  static constexpr std::uint16_t k_unknown = 65'535;

  /// Sums by ideal, per sample, at the share of so many devices.
  const double* sums(int devices) {
    const double*& known = sums_of_devices_[static_cast<std::size_t>(devices)];
    if (known == nullptr) known = row_sums(devices);
    return known;
  }
  double time(const StagePair& pair, int devices) {
    const double* by_ideal = sums(devices);
    const double compute = by_ideal[pair.outer] - by_ideal[pair.inner];
    const double communication =
        pair.transfer_seconds / devices + pair.latency_seconds * per_batch_;
    return sum_ ? compute + communication : std::max(compute, communication);
  }
  double at_least(const StagePair& pair) const;
  const double* row_sums(int devices);
  std::uint16_t price_at(std::size_t position);
  int price(const StagePair& pair);
  int first_allowed(const StagePair& pair, int devices);
  int needed_for_memory(const StagePair& pair, int height) const;

  const SearchProblem& problem_;
  const PairTable& pairs_;
  const BatchCosts& costs_;
  int batches_ = 1;
  int device_limit_ = 1;
  double per_batch_ = 1.0;  ///< 1 / micro-batch
  bool sum_ = true;         ///< communication is added
  bool monotone_ = true;    ///< more devices, less compute
  double target_ = 0.0;
  double memory_ = 0.0;
  std::vector<std::vector<double>> sums_;       ///< [row][ideal]; empty until needed
  std::vector<const double*> sums_of_devices_;  ///< into sums_
  std::vector<double> work_;                    ///< by ideal: device seconds per sample, at least
  std::vector<double> at_least_;                ///< by ideal: work_ / target
  std::vector<std::uint16_t> known_;            ///< by pair; 0 = impossible
};

}  // namespace pipegraph
