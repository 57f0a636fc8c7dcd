// Continuing from a checkpoint.
#pragma once

#include "exec/training/checkpoint.h"
#include "exec/transport/ranks.h"

namespace pipegraph {

/// Fills `state` from the checkpoint. Returns `present` at the step and sample where the checkpoint
/// stands; all else of `present` counts. Called by all ranks. Errors: ConfigError if it is of
/// another model or optimizer, damaged or incomplete, or not the same on all ranks.
TrainingPoint resume(const Checkpoint& checkpoint, const TrainingPoint& present,
                     TrainingState& state, Ranks& ranks);

}  // namespace pipegraph
