// Golden files: texts under tests/golden that a test's output must equal. They are rewritten, never
// edited by hand: `cmake --build --preset release --target update_golden`, then look at `git diff`.
#pragma once

#include <filesystem>
#include <optional>
#include <source_location>
#include <string>

namespace pipegraph {

/// Fails the running test, with a diff and the way to update, unless tests/golden/`name` holds
/// exactly `text`. With PIPEGRAPH_UPDATE_GOLDEN=1 in the environment it writes the file instead.
void expect_golden(const std::string& name, const std::string& text,
                   std::source_location where = std::source_location::current());

/// What expect_golden would report about `file`, or nothing if it holds exactly `text`.
std::optional<std::string> golden_difference(const std::filesystem::path& file,
                                             const std::string& text);

/// Replaces `file` by `text` unless it holds it already; creates missing folders. Throws
/// std::runtime_error if the file cannot be written.
void update_golden(const std::filesystem::path& file, const std::string& text);

}  // namespace pipegraph
