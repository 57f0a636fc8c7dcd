// Layer graphs of the Piper planner (Tarnawski et al., NeurIPS 2021): for every layer and degree of
// tensor parallelism one or two measured ways of running it, without and with recomputation.
#pragma once

#include "models/importers/import_table.h"

namespace pipegraph {

/// Operators with explicit times (a third forward, two thirds backward: the file has only their
/// sum) as on one device without recomputation, and all ways as Operator::variants. The file's
/// devices, memory, bandwidth and batch size are checked and left to the scenario. It is read as
/// YAML, of which JSON is a part, because every value then knows its line. Errors: ConfigError.
ComputationGraph import_piper_json(const ImportRequest& request);

}  // namespace pipegraph
