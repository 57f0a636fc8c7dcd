#include "apps/cost_output.h"

#include "apps/interruption.h"
#include "apps/profiling.h"
#include "core/base/errors.h"
#include "core/base/files.h"

namespace pipegraph {

namespace fs = std::filesystem;

void check_cost_output(const fs::path& target, const fs::path& profiled) {
  std::error_code ignored;
  if (fs::equivalent(target, profiled, ignored))
    throw ConfigError({.file = target.string()}, "is the file that is profiled, and would be lost",
                      "another file for the costs (-o)");
  if (fs::is_directory(target, ignored))
    throw ConfigError({.file = target.string()}, "is a folder", "a file for the costs (-o)");
  const fs::path folder = target.has_parent_path() ? target.parent_path() : ".";
  if (!fs::is_directory(folder, ignored))
    throw ConfigError({.file = target.string()},
                      fmt::format("there is no folder '{}'", folder.string()),
                      "a file in a folder that exists (-o)");
  // Without commit() it leaves nothing; a pipe would wait for its reader.
  if (fs::is_other(target, ignored)) return;
  const SignalsHeld held;
  FileWriter{target};
}

std::optional<CostFile> costs_to_merge_with(const fs::path& target, const CostFile& fresh) {
  std::error_code ignored;
  if (!fs::exists(target, ignored)) return std::nullopt;
  const CostFile known = read_cost_file(YamlValue::load(target.string()));
  merged(known, fresh, target.string());  // for its errors
  return known;
}

}  // namespace pipegraph
