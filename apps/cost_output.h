// The cost file that `pipegraph profile --merge` adds to, read before anything is measured: what is
// measured for minutes must not be lost for a wrong file.
#pragma once

#include <filesystem>
#include <optional>

#include "core/profile/cost_file.h"

namespace pipegraph {

/// What `target` has already measured of the model and machine of `fresh`; nothing if there is no
/// such file. Errors: ConfigError if it is no whole cost file, or of another model or machine.
std::optional<CostFile> costs_to_merge_with(const std::filesystem::path& target,
                                            const CostFile& fresh);

}  // namespace pipegraph
