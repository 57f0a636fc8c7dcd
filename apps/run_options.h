// What `pipegraph run` can be told on the command line about how to execute.
#pragma once

#include "apps/execution.h"
#include "apps/options.h"

namespace pipegraph {

/// Adds `--backend`, `--steps`, `--trace`, `--deadline`, `--real-time`, ...
void add_execution_options(Options& options);

/// Errors: ConfigError.
JobOptions job_options(const boost::program_options::variables_map& values);
/// Without a job. Errors: ConfigError.
ExecutionRequest execution_request(const boost::program_options::variables_map& values);

}  // namespace pipegraph
