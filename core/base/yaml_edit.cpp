// Edited copies of a document: one node replaced, or two maps merged. Untouched nodes are shared.
// What a path changes inside a file that a map names is not there yet: it is kept beside `file:`,
// as a key with dots, until the two are merged.
#include <algorithm>
#include <charconv>
#include <utility>

#include "core/base/yaml_node.h"

namespace pipegraph {
namespace {

/// One step of a dotted path: a key, or an index into a list.
struct Step {
  std::string key;
  std::optional<std::size_t> index;
};

[[noreturn]] void fail(const std::string& origin, std::string_view path, const std::string& problem,
                       const std::string& expected) {
  throw ConfigError({.file = origin, .key = std::string(path)}, problem, expected);
}

/// "plans[0].planner" as steps; empty if it is not a dotted path.
std::vector<Step> split(std::string_view path) {
  std::vector<Step> steps;
  for (std::size_t at = 0; at < path.size();) {
    if (path[at] == '[') {
      const std::size_t end = path.find(']', at);
      if (end == std::string_view::npos) return {};
      std::size_t index = 0;
      const auto [last, error] = std::from_chars(path.data() + at + 1, path.data() + end, index);
      if (error != std::errc{} || last != path.data() + end) return {};
      steps.push_back({.key = {}, .index = index});
      at = end + 1;
    } else {
      if (path[at] == '.') ++at;
      const std::size_t end = std::min(path.find_first_of(".[", at), path.size());
      if (end == at) return {};
      steps.push_back({.key = std::string(path.substr(at, end - at)), .index = std::nullopt});
      at = end;
    }
  }
  return path.starts_with('.') ? std::vector<Step>{} : steps;
}

/// Whether a key beside `file:` is a path into the file.
bool is_path(std::string_view key) { return key.find_first_of(".[") != std::string_view::npos; }

/// Whether `longer` leads to something inside what `path` leads to, or to the same.
bool leads_into(std::string_view longer, std::string_view path) {
  if (!longer.starts_with(path)) return false;
  return longer.size() == path.size() || longer[path.size()] == '.' || longer[path.size()] == '[';
}

/// A map whose other keys stand in a file.
bool names_a_file(const YamlNode& node) {
  const YamlNode::Child* const file = node.find("file");
  return node.type == YamlValue::Type::Map && file != nullptr &&
         file->value->type == YamlValue::Type::Scalar;
}

/// The edit of one path, with what its errors name.
class Replacement {
 public:
  Replacement(std::string_view path, const std::string& origin)
      : path_(path), origin_(origin), steps_(split(path)) {
    if (steps_.empty())
      fail(origin, path, "is not a dotted path",
           "e.g. 'training.mini_batch' or 'plans[0].planner'");
  }

  std::shared_ptr<const YamlNode> apply(const YamlNode& node, std::size_t depth,
                                        const std::shared_ptr<const YamlNode>& value) const {
    const bool last = depth + 1 == steps_.size();
    auto copy = std::make_shared<YamlNode>(node);
    if (names_a_file(node) && !steps_[depth].index) {
      const std::string rest = text_from(depth);
      std::erase_if(copy->children, [&](const YamlNode::Child& entry) {
        return is_path(entry.key) && leads_into(entry.key, rest);
      });
      if (!last && node.find(steps_[depth].key) == nullptr) {
        append(*copy, rest).value = value;
        return copy;
      }
    }
    YamlNode::Child& entry = entry_of(*copy, steps_[depth]);
    entry.value = last ? value : apply(*entry.value, depth + 1, value);
    if (last) entry.merged_from = nullptr;
    return copy;
  }

 private:
  /// The steps from `depth` on, as a path.
  std::string text_from(std::size_t depth) const {
    std::string text;
    for (std::size_t i = depth; i < steps_.size(); ++i)
      text += steps_[i].index ? fmt::format("[{}]", *steps_[i].index)
                              : (i > depth ? "." : "") + steps_[i].key;
    return text;
  }

  YamlNode::Child& append(YamlNode& map, const std::string& key) const {
    const auto source = std::make_shared<YamlSource>(YamlSource{origin_, {}});
    auto empty = std::make_shared<YamlNode>();
    empty->source = source;
    map.children.push_back({.key = key, .value = std::move(empty), .key_source = source});
    return map.children.back();
  }

  /// The entry that a step leads to, made where a map has none.
  YamlNode::Child& entry_of(YamlNode& node, const Step& step) const {
    if (step.index) {
      if (node.type != YamlValue::Type::Sequence)
        fail(origin_, path_, "there is no list there", "a key, as in 'training.mini_batch'");
      if (*step.index >= node.children.size())
        fail(origin_, path_, fmt::format("there is no entry [{}]", *step.index),
             fmt::format("an index below {}", node.children.size()));
      return node.children[*step.index];
    }
    if (node.type == YamlValue::Type::Null) node.type = YamlValue::Type::Map;
    if (node.type != YamlValue::Type::Map)
      fail(origin_, path_, fmt::format("'{}' is not inside a map", step.key),
           "a path through maps and lists to one value");
    for (YamlNode::Child& entry : node.children)
      if (entry.key == step.key) return entry;
    return append(node, step.key);
  }

  std::string_view path_;
  const std::string& origin_;
  std::vector<Step> steps_;
};

/// As messages name a value that stands in a document.
std::string place_of(const SourcePosition& at) {
  return at.line == 0 ? at.file : fmt::format("{}:{}:{}", at.file, at.line, at.column);
}

}  // namespace

YamlValue YamlValue::with(std::string_view path, std::string_view value,
                          const std::string& origin) const {
  auto source = std::make_shared<YamlSource>(YamlSource{origin, {}});
  const auto parsed = parse_yaml(value, std::move(source));
  return {Replacement(path, origin).apply(*node_, 0, parsed), path_};
}

YamlValue YamlValue::with(std::string_view path, const YamlValue& value,
                          const std::string& origin) const {
  return {Replacement(path, origin).apply(*node_, 0, value.node_), path_};
}

YamlValue YamlValue::merged_with(const YamlValue& over) const {
  if (!is_map()) fail("is not a map", "a map");
  if (!over.is_map()) over.fail("is not a map", "a map");
  auto merged = std::make_shared<YamlNode>(*node_);
  for (YamlNode::Child entry : over.node_->children) {
    if (is_path(entry.key)) continue;
    if (!entry.merged_from) entry.merged_from = over.path_;
    const std::string& key = entry.key;
    const auto same = std::find_if(merged->children.begin(), merged->children.end(),
                                   [&](const YamlNode::Child& own) { return own.key == key; });
    if (same == merged->children.end())
      merged->children.push_back(std::move(entry));
    else
      *same = std::move(entry);
  }
  YamlValue result{merged, path_};
  for (const std::string& key : over.keys())
    if (is_path(key))
      result = result.with(key, over.find(key).value(), place_of(over.key_position(key)));
  return result;
}

YamlValue YamlValue::without(std::string_view key) const {
  if (!is_map()) fail("is not a map", "a map");
  auto copy = std::make_shared<YamlNode>(*node_);
  std::erase_if(copy->children, [&](const YamlNode::Child& entry) { return entry.key == key; });
  return {copy, path_};
}

}  // namespace pipegraph
