// timeline.csv back into a timeline.
#pragma once

#include <filesystem>

#include "core/program/program.h"
#include "core/run/timeline.h"

namespace pipegraph {

/// Times by instruction id of `program`; NaN for instructions without a row (a window). Errors:
/// ConfigError at file:line for a missing column, a number that is none, an instruction that the
/// program does not have or that differs from it in kind, or one that is there twice.
Timeline read_timeline_csv(const std::filesystem::path& path, const Program& program);

}  // namespace pipegraph
