// What stages between nested ideals cost by the search's common rule, for searches of their own.
#pragma once

#include <vector>

#include "core/planners/search/pairs.h"

namespace pipegraph {

class PairCosts {
 public:
  /// All must outlive this.
  PairCosts(const SearchProblem& problem, const PairTable& pairs, const BatchCosts& costs);

  /// Seconds per sample, as time_per_sample().
  double time(const StagePair& pair, int devices) const;
  /// Stages from this to the chain's end, this included, that memory allows; 0 = not even one,
  /// k_any_height = any number.
  int most_height(const StagePair& pair, int devices) const;
  static constexpr int k_any_height = 1 << 30;
  /// Device seconds per sample of an ideal's blocks, at least.
  double work(std::int32_t ideal) const { return work_[static_cast<std::size_t>(ideal)]; }
  int most_devices() const { return most_devices_; }

 private:
  const SearchProblem& problem_;
  const BatchCosts& costs_;
  int most_devices_ = 1;
  std::vector<std::vector<double>> time_;  ///< [row][ideal]: sums
  std::vector<double> work_;
};

}  // namespace pipegraph
