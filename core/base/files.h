// Writing files so that a killed run or a full disk never leaves half of one.
#pragma once

#include <filesystem>
#include <string>
#include <string_view>

namespace pipegraph {

/// Writes `content` under a temporary name in the same folder, flushes it, renames it to `path`.
/// Errors: MachineError naming the path and the system's reason; the old file is then untouched
/// and no temporary file is left.
void write_file(const std::filesystem::path& path, std::string_view content);

/// A whole file. Errors: ConfigError if it cannot be read or is a folder.
std::string read_file(const std::filesystem::path& path);

}  // namespace pipegraph
