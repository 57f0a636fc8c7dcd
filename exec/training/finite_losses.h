// Losses that are no numbers any more end a run.
#pragma once

#include <string>
#include <vector>

#include "exec/training/step_runner.h"

namespace pipegraph {

/// Errors: ExecutionError "the <what> is nan: <reason>" for the first loss that is not finite; of
/// several ranks, which all know it, the first is to tell.
void check_finite(const std::vector<LossValue>& losses, const std::string& what,
                  const std::string& reason);

}  // namespace pipegraph
