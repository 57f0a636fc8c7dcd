// Times of an operator's passes, collected over repetitions and summed up for a cost file.
#pragma once

#include <array>
#include <string>
#include <vector>

#include "core/profile/cost_file.h"
#include "exec/measure/watched_rounds.h"

namespace pipegraph {

inline constexpr std::array k_measured_passes{Pass::Forward, Pass::Backward, Pass::BackwardInput,
                                              Pass::BackwardWeight};

/// Of one operator.
class OperatorPassTimes {
 public:
  void add_forward(Seconds time) { of(Pass::Forward).push_back(time); }
  void add_backward(Seconds input, Seconds weight);
  /// Those of other rounds.
  void append(const OperatorPassTimes& other);
  /// The machine did other things meanwhile.
  void mark_disturbed() { disturbed_ = true; }
  /// What was measured of each pass.
  std::vector<MeasuredOperator> summed_up(const std::string& name, std::int64_t samples) const;

 private:
  std::vector<Seconds>& of(Pass pass) { return times_[static_cast<std::size_t>(pass)]; }
  std::array<std::vector<Seconds>, k_measured_passes.size()> times_;
  bool disturbed_ = false;
};

/// Of all rounds, by operator; each round has the times of all operators.
std::vector<OperatorPassTimes> all_of(const WatchedRounds<std::vector<OperatorPassTimes>>& rounds);

}  // namespace pipegraph
