// The table of network families.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "models/family.h"

namespace pipegraph {

/// All families, in the order in which they are listed to users.
const std::vector<Family>& families();

/// Null if there is none of that name.
const Family* find_family(std::string_view name);

/// Builds a family with `values` in place of the defaults they name; for tests, benchmarks and
/// other callers without a file. Errors: ConfigError for an unknown family or parameter or a value
/// out of range.
ComputationGraph build_family(const std::string& family, const ParameterValues& values = {},
                              Precision precision = Precision::Fp32);

}  // namespace pipegraph
