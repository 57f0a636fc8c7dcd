#include "apps/output_file.h"

#include <optional>
#include <string>

#include "apps/interruption.h"
#include "core/base/errors.h"
#include "core/base/files.h"

namespace pipegraph {

namespace fs = std::filesystem;

namespace {

constexpr std::size_t k_small_file = 64 << 10;  ///< bytes

}  // namespace

void check_output_file(const fs::path& target, const fs::path& input) {
  std::error_code ignored;
  const auto fail = [&](const std::string& problem, const std::string& expected) {
    throw ConfigError({.file = target.string()}, problem, expected);
  };
  if (!input.empty() && fs::equivalent(target, input, ignored))
    fail("is the file that is read, and would be lost", "another file (-o)");
  if (fs::is_directory(target, ignored)) fail("is a folder", "the path of a file (-o)");
  const fs::path folder = target.has_parent_path() ? target.parent_path() : ".";
  if (!fs::is_directory(folder, ignored))
    fail(fmt::format("there is no folder '{}'", folder.string()),
         "a file in a folder that exists (-o)");
  // A pipe would wait for its reader.
  if (fs::is_other(target, ignored)) return;
  const SignalsHeld held;
  FileWriter(target).append(std::string(k_small_file, ' '));  // without commit() nothing stays
}

void write_output_file(const fs::path& target, std::string_view content) {
  std::error_code ignored;
  std::optional<SignalsHeld> held;
  if (!fs::is_other(target, ignored)) held.emplace();
  write_file(target, content);
}

}  // namespace pipegraph
