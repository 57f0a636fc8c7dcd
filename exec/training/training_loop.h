// Step after step until the last one or until asked to stop: the loss is logged, the model
// validated and checkpoints written on the way. Every rank runs the same loop.
#pragma once

#include <cstdint>
#include <filesystem>
#include <functional>
#include <string>
#include <vector>

#include "exec/training/checkpoint.h"
#include "exec/training/loss_log.h"
#include "exec/training/step_runner.h"
#include "exec/transport/ranks.h"

namespace pipegraph {

struct TrainingOptions {
  std::int64_t steps = 1;             ///< number of the last step, counted from the very beginning
  std::int64_t checkpoint_every = 0;  ///< steps; also after the last one. 0: none
  std::int64_t validate_every = 0;    ///< steps; also after the last one. 0: never
  std::int64_t validation_batches = 1;
  std::int64_t first_validation_sample = 0;
  std::filesystem::path checkpoints;  ///< their folder
};

/// What the loop drives; all must outlive it. `validation` may be null if it is never validated.
struct TrainingParts {
  StepRunner& runner;
  Ranks& ranks;
  const DataSource& data;
  const DataSource* validation = nullptr;
  LossLog* log = nullptr;  ///< of the first rank; elsewhere null
  /// Called after each step.
  std::function<void(const LossRow&)> report = [](const LossRow&) {};
  /// Asked after each mini-batch, also of a validation, which is then given up; training ends once
  /// any rank is to stop.
  std::function<bool()> stop = [] { return false; };
};

/// Continues from `start`, at which the state of the runner already is. Returns where it ended.
/// Errors: MachineError, also for a loss that is not finite (with the step); the checkpoints
/// written before stay.
TrainingPoint train(const TrainingParts& parts, TrainingPoint start,
                    const TrainingOptions& options);

}  // namespace pipegraph
