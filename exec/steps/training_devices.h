// What the engines of one process share that train a plan, and what is known of them between steps.
#pragma once

#include <vector>

#include "exec/passes/training_engine.h"
#include "exec/steps/executable.h"
#include "exec/training/step_runner.h"

namespace pipegraph {

class TrainingDevices {
 public:
  /// All must outlive this. Errors: those of check_trainable.
  TrainingDevices(const Workload& workload, const StageGraph& stages, const Program& program,
                  std::span<const Precision> precisions = k_fp32_alone);

  const PassTables& tables() const { return tables_; }
  /// Of the step that runs or runs next; changed between steps only.
  StepOrder& order() { return order_; }
  /// By device; null for those of other processes. Filled by the engines' factory.
  std::vector<TrainingEngine*>& engines() { return engines_; }
  const std::vector<TrainingEngine*>& engines() const { return engines_; }

 private:
  PassTables tables_;
  StepOrder order_;
  std::vector<TrainingEngine*> engines_;
};

}  // namespace pipegraph
