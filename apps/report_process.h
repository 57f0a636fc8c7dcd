// Calls the Python program that draws a results folder's report.
#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include "apps/console.h"

namespace pipegraph {

/// Its exit code: 0, 2 or 3; what it says goes to standard error. Errors: MachineError if it cannot
/// be started or is killed.
int draw_report(const std::filesystem::path& folder, const std::vector<std::string>& more);

/// The same for pictures of two results folders, which go into `output`.
int draw_comparison(const std::filesystem::path& a, const std::filesystem::path& b,
                    const std::filesystem::path& output);

/// Whether the build found a Python that can draw.
bool can_draw_report();

}  // namespace pipegraph
