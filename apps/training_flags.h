// The flags of `pipegraph run` that say how to train, checked on their own and against the
// workload.
#pragma once

#include <cstdint>
#include <filesystem>
#include <optional>

#include "apps/options.h"
#include "core/stage/workload.h"
#include "exec/training/checkpoint.h"

namespace pipegraph {

/// What is not given is up to the checkpoint that is resumed, or to defaults.
struct TrainingFlags {
  std::optional<std::uint64_t> seed;
  std::optional<double> learning_rate, momentum, first_moment_decay, second_moment_decay, epsilon;
  std::optional<std::filesystem::path> data;
  std::optional<std::filesystem::path> validation_data;
  std::int64_t validate_every = 0;  ///< 0: never
  std::optional<std::int64_t> validation_batches;
  std::int64_t checkpoint_every = 0;  ///< 0: never
  bool resume = false;
  std::filesystem::path resume_from;  ///< empty: the results folder's own checkpoints
};

/// What `flags` leave to the checkpoint that is continued. Errors: ConfigError, as training_flags.
TrainingFlags continuing(TrainingFlags flags, const TrainingHabits& saved);

void add_training_options(Options& options);

/// Whether any of them is given, so that the run is to train.
bool asks_to_train(const boost::program_options::variables_map& values);

/// Errors: ConfigError for values that make no sense, alone or with `optimizer`.
TrainingFlags training_flags(const boost::program_options::variables_map& values,
                             Optimizer optimizer);

/// `base` with what the flags replace.
OptimizerSettings with_flags(OptimizerSettings base, const TrainingFlags& flags);

}  // namespace pipegraph
