// Carrying out every plan of every point of a study, with the results folder that comes of it: what
// `simulate` and `run` have in common.
#pragma once

#include <filesystem>

#include "apps/job.h"
#include "apps/outcome.h"

namespace pipegraph {

/// Adds `--output`, `--no-report`, `--timeline` and `--format`.
void add_results_options(Options& options);

/// `--output`, or the default.
std::filesystem::path output_folder(const Study& study,
                                    const boost::program_options::variables_map& values);

/// Kept on the rank that reports.
PlanRunner::Results results_of(Job& job);

/// Carries out the study, writes its folder, prints its table. Returns the exit code. Errors:
/// ConfigError, and those of the runner; then no folder is left behind.
int carry_out_study(const Study& study, const boost::program_options::variables_map& values,
                    const PlanRunner& runner, const Console& console);

}  // namespace pipegraph
