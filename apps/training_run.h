// `pipegraph run` when it is asked to train: one plan, step after step, with losses, validation and
// checkpoints.
#pragma once

#include "apps/execution.h"
#include "apps/study.h"

namespace pipegraph {

/// Returns the exit code: ExitNo if a signal ended it before the last step. Errors: ConfigError,
/// MachineError; the training folder then holds what was written before.
int run_training(const Study& study, const boost::program_options::variables_map& values,
                 const ExecutionRequest& request, const Console& console);

}  // namespace pipegraph
