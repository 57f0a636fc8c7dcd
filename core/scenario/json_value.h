// YAML values as JSON, for results that repeat what a scenario says.
#pragma once

#include <nlohmann/json_fwd.hpp>

#include "core/base/yaml_reader.h"

namespace pipegraph {

/// Numbers, booleans and null keep their type, other scalars become texts; keys keep their order.
nlohmann::ordered_json to_json(const YamlValue& value);

/// The value in one line, for tables: scalars as they are, lists and maps as JSON.
std::string to_short_text(const YamlValue& value);

}  // namespace pipegraph
