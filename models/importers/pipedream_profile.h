// Profiles that PipeDream's profiler wrote (Narayanan et al., SOSP 2019): times and sizes of one
// mini-batch on one device.
#pragma once

#include "models/importers/import_table.h"

namespace pipegraph {

/// Operators "ID.Kind" with explicit times, what they keep being inputs and output. Unless
/// `as_written`, nodes "Input..." (their time is the loader's) and results "__getitem__..." that
/// nobody reads are left out, as PipeDream's optimizer does. Errors: ConfigError, see
/// ImportRequest.
ComputationGraph import_pipedream_profile(const ImportRequest& request);

}  // namespace pipegraph
