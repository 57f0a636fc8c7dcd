// Reading a map's known keys and refusing the rest.
#include <algorithm>

#include "core/base/nearest.h"
#include "core/base/yaml_reader.h"

namespace pipegraph {

MapReader::MapReader(const YamlValue& value, std::string what)
    : value_(value), what_(std::move(what)) {
  if (!value.is_map()) value.fail("is not a map", fmt::format("{} as a map of keys", what_));
}

std::optional<YamlValue> MapReader::optional(const std::string& key) {
  if (std::find(asked_.begin(), asked_.end(), key) == asked_.end()) asked_.push_back(key);
  return value_.find(key);
}

YamlValue MapReader::required(const std::string& key) {
  std::optional<YamlValue> found = optional(key);
  if (!found) {
    const std::vector<std::string> present = value_.keys();
    const std::optional<std::string> close = nearest(key, present);
    const std::string expected = fmt::format("{} with '{}'", what_, key);
    value_.fail(fmt::format("missing key '{}'", key),
                close ? fmt::format("{} (is '{}' it, misspelt?)", expected, *close) : expected);
  }
  return *found;
}

bool MapReader::has(const std::string& key) const { return value_.find(key).has_value(); }

void MapReader::finish() const {
  for (const std::string& key : value_.keys()) {
    if (std::find(asked_.begin(), asked_.end(), key) != asked_.end()) continue;
    throw ConfigError(value_.key_position(key), fmt::format("unknown key in {}", what_),
                      expected_one_of(key, asked_));
  }
}

}  // namespace pipegraph
