// Typed access to nodes: every refusal names the place, what stands there and what should.
#include "core/base/yaml_reader.h"

#include <charconv>
#include <cmath>
#include <limits>
#include <utility>

#include "core/base/files.h"
#include "core/base/nearest.h"
#include "core/base/yaml_node.h"

namespace pipegraph {
namespace {

constexpr std::string_view type_name(YamlValue::Type type) {
  switch (type) {
    case YamlValue::Type::Null:
      return "has no value";
    case YamlValue::Type::Scalar:
      return "is a single value";
    case YamlValue::Type::Sequence:
      return "is a list";
    case YamlValue::Type::Map:
      return "is a map";
  }
  return "";
}

std::string shown(const std::string& text) {
  constexpr std::size_t k_longest = 60;
  return text.size() <= k_longest ? "'" + text + "'" : "'" + text.substr(0, k_longest) + "...'";
}

}  // namespace

std::shared_ptr<const YamlPath> yaml_step(std::shared_ptr<const YamlPath> parent,
                                          std::string step) {
  return std::make_shared<const YamlPath>(YamlPath{std::move(parent), std::move(step)});
}

std::string to_text(const YamlPath* path) {
  if (path == nullptr) return {};
  std::string before = to_text(path->parent.get());
  if (!before.empty() && !path->step.starts_with('[')) before += '.';
  return before + path->step;
}

YamlValue::YamlValue(std::shared_ptr<const YamlNode> node, std::shared_ptr<const YamlPath> path)
    : node_(std::move(node)), path_(std::move(path)) {}

YamlValue YamlValue::child(std::shared_ptr<const YamlNode> node, std::string step) const {
  return {std::move(node), yaml_step(path_, std::move(step))};
}

YamlValue YamlValue::load(const std::filesystem::path& file) {
  const std::string text = read_file(file, k_yaml_most_bytes);
  auto source = std::make_shared<YamlSource>(YamlSource{file.string(), file.parent_path()});
  return {parse_yaml(text, std::move(source)), nullptr};
}

YamlValue YamlValue::parse(std::string_view text, const std::string& name) {
  auto source =
      std::make_shared<YamlSource>(YamlSource{name, std::filesystem::path(name).parent_path()});
  return {parse_yaml(text, std::move(source)), nullptr};
}

YamlValue::Type YamlValue::type() const { return node_->type; }

SourcePosition YamlValue::position() const {
  return {node_->source->name, node_->line, node_->column, to_text(path_.get())};
}

SourcePosition YamlValue::key_position(std::string_view key) const {
  const YamlNode::Child* entry = node_->find(key);
  if (entry == nullptr) return position();
  const auto path = yaml_step(entry->merged_from ? entry->merged_from : path_, entry->key);
  return {entry->key_source->name, entry->key_line, entry->key_column, to_text(path.get())};
}

std::filesystem::path YamlValue::folder() const { return node_->source->folder; }

void YamlValue::fail(const std::string& problem, const std::string& expected) const {
  throw ConfigError(position(), problem, expected);
}

void YamlValue::fail_type(const std::string& expected) const {
  fail(std::string(type_name(type())), expected);
}

const std::string& YamlValue::plain_text(const std::string& expected) const {
  if (!is_scalar()) fail_type(expected);
  if (node_->quoted) fail(shown(node_->text) + " stands in quotes, which make it a text", expected);
  return node_->text;
}

std::string YamlValue::as_string() const {
  if (!is_scalar()) fail_type("a text");
  return node_->text;
}

bool YamlValue::as_bool() const {
  const std::string& text = plain_text("true or false");
  if (text == "true") return true;
  if (text != "false") fail(shown(text) + " is neither true nor false", "true or false");
  return false;
}

double YamlValue::as_double() const {
  const std::string& text = plain_text("a number");
  double value = 0.0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (end != text.data() + text.size() || error == std::errc::invalid_argument)
    fail(shown(text) + " is not a number", "a number without a unit");
  if (error != std::errc{}) fail(shown(text) + " is out of range", "a number below 1e308");
  if (!std::isfinite(value)) fail(shown(text) + " is not finite", "a finite number");
  return value;
}

std::int64_t YamlValue::as_integer() const {
  const std::string& text = plain_text("a whole number");
  std::int64_t value = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (end != text.data() + text.size() || error == std::errc::invalid_argument)
    fail(shown(text) + " is not a whole number", "a whole number");
  if (error != std::errc{}) fail(shown(text) + " is out of range", "a whole number below 2^63");
  return value;
}

std::int64_t YamlValue::as_integer(std::int64_t least, std::int64_t most) const {
  const std::int64_t value = as_integer();
  if (value >= least && value <= most) return value;
  const bool open = most == std::numeric_limits<std::int64_t>::max();
  fail(fmt::format("{} is out of range", value),
       open ? fmt::format("a whole number of at least {}", least)
            : fmt::format("a whole number from {} to {}", least, most));
}

namespace {

template <class Quantity>
Quantity quantity_or_fail(const YamlValue& value, Parsed<Quantity> (*parse)(std::string_view)) {
  if (!value.is_scalar()) {
    const QuantityError error = std::get<QuantityError>(parse(""));
    value.fail(std::string(type_name(value.type())), error.expected);
  }
  const Parsed<Quantity> parsed = parse(value.as_string());
  if (const auto* error = std::get_if<QuantityError>(&parsed))
    value.fail(error->problem, error->expected);
  return std::get<Quantity>(parsed);
}

}  // namespace

Seconds YamlValue::as_seconds() const { return quantity_or_fail(*this, parse_seconds); }
Bytes YamlValue::as_bytes() const { return quantity_or_fail(*this, parse_bytes); }
BytesPerSecond YamlValue::as_bytes_per_second() const {
  return quantity_or_fail(*this, parse_bytes_per_second);
}
Flops YamlValue::as_flops() const { return quantity_or_fail(*this, parse_flops); }
FlopsPerSecond YamlValue::as_flops_per_second() const {
  return quantity_or_fail(*this, parse_flops_per_second);
}

std::filesystem::path YamlValue::as_path() const {
  if (!is_scalar() || node_->text.empty()) fail_type("the path of a file");
  return folder() / std::filesystem::path(node_->text);
}

YamlValue YamlValue::load_named() const {
  const std::filesystem::path path = as_path();
  std::error_code failed;
  if (!std::filesystem::exists(path, failed))
    fail(fmt::format("there is no file '{}'", path.string()), "the path of a readable file");
  return load(path);
}

std::size_t YamlValue::as_choice(std::span<const std::string> names) const {
  if (!is_scalar()) fail_type(expected_one_of("", names));
  for (std::size_t i = 0; i < names.size(); ++i)
    if (names[i] == node_->text) return i;
  fail("unknown value " + shown(node_->text), expected_one_of(node_->text, names));
}

std::vector<YamlValue> YamlValue::items() const {
  if (!is_sequence()) fail_type("a list");
  std::vector<YamlValue> result;
  result.reserve(node_->children.size());
  for (std::size_t i = 0; i < node_->children.size(); ++i)
    result.push_back(child(node_->children[i].value, fmt::format("[{}]", i)));
  return result;
}

std::vector<std::string> YamlValue::keys() const {
  if (!is_map()) fail_type("a map");
  std::vector<std::string> result;
  result.reserve(node_->children.size());
  for (const YamlNode::Child& entry : node_->children) result.push_back(entry.key);
  return result;
}

std::optional<YamlValue> YamlValue::find(std::string_view key) const {
  if (!is_map()) fail_type("a map");
  const YamlNode::Child* entry = node_->find(key);
  if (entry == nullptr) return std::nullopt;
  return YamlValue(entry->value,
                   yaml_step(entry->merged_from ? entry->merged_from : path_, entry->key));
}

std::string YamlValue::to_yaml_text() const { return pipegraph::to_yaml_text(*node_); }

}  // namespace pipegraph
