// Executing a program that is written down as text, not made from a plan.
#pragma once

#include <filesystem>

#include "apps/execution.h"
#include "apps/outcome.h"

namespace pipegraph {

struct RunText {
  const Study& study;  ///< on whose cluster
  std::filesystem::path file;
  PlanRunner::Ignored ignored = PlanRunner::Ignored::Nothing;
};

/// Executes it and prints its times. Returns the exit code. Errors: ConfigError if the program is
/// wrong, needs more devices than the cluster has, or can never end and that is not ignored; those
/// of execute.
int run_text(const RunText& text, const ExecutionRequest& request, const Console& console);

}  // namespace pipegraph
