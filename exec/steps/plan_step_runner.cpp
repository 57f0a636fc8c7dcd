#include "exec/steps/plan_step_runner.h"

namespace pipegraph {

PlanStepRunner::PlanStepRunner(TrainingDevices& devices, Executor& executor, Ranks& ranks)
    : devices_(devices), executor_(executor), ranks_(ranks), state_(devices) {}

std::vector<LossValue> PlanStepRunner::run(const StepOrder& order) {
  devices_.order() = order;
  last_ = executor_.run_step(tracing_);
  return collect_losses(devices_, ranks_);
}

}  // namespace pipegraph
