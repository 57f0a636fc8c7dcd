// Settings one after the other.
#include "core/scenario/settings.h"

#include "core/plan/plan_file.h"
#include "core/scenario/sweep.h"

namespace pipegraph {
namespace {

/// Whether every value that is swept at `swept` takes the place of what `path` leads to.
bool replaces(std::string_view swept, std::string_view path) {
  if (!path.starts_with(swept)) return false;
  return path.size() == swept.size() || path[swept.size()] == '.' || path[swept.size()] == '[';
}

/// What was found out about the plan of a file holds no longer.
YamlValue without_search(const YamlValue& document) {
  const auto found = document.find("plan");
  if (!found || !found->is_map()) return document;
  YamlValue plan = *found;
  for (const char* key : {"objective", "search"})
    if (plan.find(key)) plan = plan.without(key);
  return document.with("plan", plan, "--set");
}

YamlValue with_setting(const YamlValue& document, const std::string& setting) {
  const std::size_t equals = setting.find('=');
  if (equals == std::string::npos || equals == 0)
    throw ConfigError({.file = "--set " + setting}, "is not PATH=VALUE",
                      "e.g. --set training.mini_batch=64");
  const std::string path = setting.substr(0, equals);
  const std::string value = setting.substr(equals + 1);
  for (const std::string& swept : swept_paths(document))
    if (replaces(swept, path))
      throw ConfigError({.file = "--set", .key = path},
                        swept == path ? "the scenario sweeps this key"
                                      : fmt::format("the scenario sweeps '{}', all of it", swept),
                        "--set sweep={} before it, to switch the sweep off");
  return document.with(path, value.empty() ? "\"\"" : value, "--set");
}

}  // namespace

YamlValue with_settings(const YamlValue& document, const std::vector<std::string>& settings) {
  YamlValue result = document;
  bool as_planned = true;
  for (const std::string& setting : settings) {
    result = with_setting(result, setting);
    as_planned = as_planned && setting.starts_with("simulation");
  }
  return as_planned || !is_plan_document(result) ? result : without_search(result);
}

}  // namespace pipegraph
