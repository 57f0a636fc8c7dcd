// One mini-batch through the plan, as the training loop asks for it: the seam between the loop and
// whatever carries a program out.
#pragma once

#include <cstdint>
#include <vector>

#include "core/base/ids.h"
#include "exec/training/data_source.h"
#include "exec/training/training_state.h"

namespace pipegraph {

/// Which of them count is up to the optimizer of the workload.
struct OptimizerSettings {
  double learning_rate = 0.01;
  double momentum = 0.9;            ///< of momentum
  double first_moment_decay = 0.9;  ///< of Adam
  double second_moment_decay = 0.999;
  double epsilon = 1e-8;
  bool operator==(const OptimizerSettings&) const = default;
};

/// Evaluate: the same program, but optimizer steps leave parameters and state as they are.
enum class StepKind : std::uint8_t { Train, Evaluate };

struct StepOrder {
  StepKind kind = StepKind::Train;
  std::int64_t step = 1;          ///< optimizer steps so far, this one included (Adam needs it)
  std::int64_t first_sample = 0;  ///< global index of the mini-batch's first sample
  const DataSource* data = nullptr;
  OptimizerSettings optimizer;
};

/// Mean over the samples of the mini-batch, added up in sample order.
struct LossValue {
  OperatorId loss;
  double mean = 0.0;
};

class StepRunner {
 public:
  virtual ~StepRunner() = default;
  /// Carries out one mini-batch on this rank's devices. Returns every loss of the network,
  /// ascending by operator, on every rank. Errors: MachineError.
  virtual std::vector<LossValue> run(const StepOrder& order) = 0;
  virtual TrainingState& state() = 0;
};

}  // namespace pipegraph
