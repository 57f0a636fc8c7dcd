// A scalar's type is recognised by its YAML text, in which texts that look like numbers are quoted.
#include "core/scenario/json_value.h"

#include <charconv>
#include <cmath>
#include <nlohmann/json.hpp>

namespace pipegraph {
namespace {

template <class Number>
std::optional<Number> parsed(std::string_view text) {
  Number value{};
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (error != std::errc{} || end != text.data() + text.size()) return std::nullopt;
  return value;
}

nlohmann::ordered_json scalar_to_json(const YamlValue& value) {
  std::string text = value.as_string();
  const bool quoted = value.to_yaml_text().starts_with('"');
  if (quoted) return text;
  if (text == "true" || text == "false") return text == "true";
  if (const auto integer = parsed<std::int64_t>(text)) return *integer;
  const auto number = parsed<double>(text);
  if (number && std::isfinite(*number)) return *number;
  return text;
}

}  // namespace

nlohmann::ordered_json to_json(const YamlValue& value) {
  switch (value.type()) {
    case YamlValue::Type::Null:
      return nullptr;
    case YamlValue::Type::Scalar:
      return scalar_to_json(value);
    case YamlValue::Type::Sequence: {
      auto list = nlohmann::ordered_json::array();
      for (const YamlValue& item : value.items()) list.push_back(to_json(item));
      return list;
    }
    case YamlValue::Type::Map: {
      auto map = nlohmann::ordered_json::object();
      for (const std::string& key : value.keys()) map[key] = to_json(value.find(key).value());
      return map;
    }
  }
  return nullptr;
}

std::string to_short_text(const YamlValue& value) {
  return value.is_scalar() ? value.as_string() : to_json(value).dump();
}

}  // namespace pipegraph
