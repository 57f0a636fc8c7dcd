// Steps of a training during which the machine is watched. All of them count: what they trained
// cannot be repeated.
#pragma once

#include <utility>

#include "exec/measure/step_watch.h"
#include "exec/training/step_runner.h"

namespace pipegraph {

class WatchedRunner final : public StepRunner {
 public:
  /// `steps` outlives it.
  WatchedRunner(StepRunner& steps, SchedulingReader reader)
      : steps_(steps), watch_(std::move(reader)) {}

  std::vector<LossValue> run(const StepOrder& order) override;
  TrainingState& state() override { return steps_.state(); }

  /// Of all ranks' training steps but the first, which touches its memory for the first time;
  /// evaluations are left out. All ranks call it together.
  StepsSeen seen(Ranks& ranks) const { return watch_.seen(ranks); }

 private:
  StepRunner& steps_;
  StepWatch watch_;
  bool first_ = true;
};

}  // namespace pipegraph
