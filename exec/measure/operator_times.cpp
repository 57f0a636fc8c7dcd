#include "exec/measure/operator_times.h"

#include "exec/measure/statistics.h"

namespace pipegraph {

void OperatorPassTimes::add_backward(Seconds input, Seconds weight) {
  of(Pass::BackwardInput).push_back(input);
  of(Pass::BackwardWeight).push_back(weight);
  of(Pass::Backward).push_back(input + weight);
}

void OperatorPassTimes::append(const OperatorPassTimes& other) {
  for (std::size_t i = 0; i < times_.size(); ++i)
    times_[i].insert(times_[i].end(), other.times_[i].begin(), other.times_[i].end());
  disturbed_ = disturbed_ || other.disturbed_;
}

std::vector<OperatorPassTimes> all_of(const WatchedRounds<std::vector<OperatorPassTimes>>& rounds) {
  std::vector<OperatorPassTimes> all(rounds.results.front().size());
  for (const std::vector<OperatorPassTimes>& round : rounds.results)
    for (std::size_t i = 0; i < all.size(); ++i) all[i].append(round[i]);
  if (rounds.disturbed)
    for (OperatorPassTimes& times : all) times.mark_disturbed();
  return all;
}

std::vector<MeasuredOperator> OperatorPassTimes::summed_up(const std::string& name,
                                                           std::int64_t samples) const {
  std::vector<MeasuredOperator> measured;
  for (const Pass pass : k_measured_passes) {
    Measured time = without_gross_outliers(times_[static_cast<std::size_t>(pass)]);
    time.disturbed = disturbed_;
    measured.push_back({name, pass, samples, time});
  }
  return measured;
}

}  // namespace pipegraph
