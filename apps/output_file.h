// The one file that a verb writes: looked at before the work, which takes minutes and must not be
// lost for a typing error, and written whole after it.
#pragma once

#include <filesystem>
#include <string_view>

namespace pipegraph {

/// Errors: ConfigError if `target` is the file `input` (empty: there is none), a folder, or in
/// none; MachineError if it cannot be written or has no room for a small file.
void check_output_file(const std::filesystem::path& target, const std::filesystem::path& input);

/// write_file, which no signal cuts short; waiting for the reader of a pipe is cut short.
void write_output_file(const std::filesystem::path& target, std::string_view content);

}  // namespace pipegraph
