// Steps during which the machine is watched: whether others used it meanwhile.
#pragma once

#include <cstddef>
#include <functional>
#include <string>
#include <vector>

#include "exec/executor.h"
#include "exec/measure/disturbance.h"

namespace pipegraph {

/// How the scheduler's totals are read; tests bring their own.
using SchedulingReader = std::function<SchedulingTotals()>;

/// Of this process, for so many devices of it. Where they share cores they keep each other waiting,
/// so that nothing can be said of others: the reader then does not tell.
SchedulingReader scheduling_of_devices(std::size_t devices);

/// What was seen of some steps.
struct StepsSeen {
  std::size_t steps = 0;
  std::size_t disturbed = 0;
  Disturbance total;  ///< over all of them, between them not included

  /// Why their times prove nothing: more were disturbed than not. Empty if they do.
  std::string no_verdict() const;
};

class StepWatch {
 public:
  explicit StepWatch(SchedulingReader reader = [] { return scheduling_totals(); })
      : reader_(std::move(reader)) {}

  /// What `step` returns.
  StepResult run(const std::function<StepResult()>& step);
  /// Whether the last step was.
  bool last_disturbed() const { return out_.back(); }
  StepsSeen seen() const;
  /// Of all ranks' steps, on every rank: a step counts as disturbed if it was so on any of them.
  /// All ranks call it together.
  StepsSeen seen(Ranks& ranks) const;

 private:
  SchedulingReader reader_;
  std::vector<bool> out_;  ///< by step
  Disturbance total_;
};

}  // namespace pipegraph
