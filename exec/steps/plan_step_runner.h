// Steps of a plan as the training loop asks for them, on whatever engines the executor drives.
#pragma once

#include "exec/executor.h"
#include "exec/steps/device_state.h"
#include "exec/steps/losses.h"

namespace pipegraph {

class PlanStepRunner final : public StepRunner {
 public:
  /// All must outlive this; the executor has made the engines of `devices`.
  PlanStepRunner(TrainingDevices& devices, Executor& executor, Ranks& ranks);

  std::vector<LossValue> run(const StepOrder& order) override;
  DeviceState& state() override { return state_; }

  /// Whether steps are traced from now on.
  void trace(Tracing tracing) { tracing_ = tracing; }
  /// Of the last step.
  const StepResult& last() const { return last_; }

 private:
  TrainingDevices& devices_;
  Executor& executor_;
  Ranks& ranks_;
  DeviceState state_;
  Tracing tracing_ = Tracing::Off;
  StepResult last_;
};

}  // namespace pipegraph
