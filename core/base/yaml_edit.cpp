// Edited copies of a document: one node replaced, or two maps merged. Untouched nodes are shared.
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
    YamlNode::Child& entry = entry_of(*copy, steps_[depth]);
    entry.value = last ? value : apply(*entry.value, depth + 1, value);
    if (last) entry.merged_from = nullptr;
    return copy;
  }

 private:
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
    const auto source = std::make_shared<YamlSource>(YamlSource{origin_, {}});
    auto empty = std::make_shared<YamlNode>();
    empty->source = source;
    node.children.push_back({.key = step.key, .value = std::move(empty), .key_source = source});
    return node.children.back();
  }

  std::string_view path_;
  const std::string& origin_;
  std::vector<Step> steps_;
};

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
    if (!entry.merged_from) entry.merged_from = over.path_;
    const std::string& key = entry.key;
    const auto same = std::find_if(merged->children.begin(), merged->children.end(),
                                   [&](const YamlNode::Child& own) { return own.key == key; });
    if (same == merged->children.end())
      merged->children.push_back(std::move(entry));
    else
      *same = std::move(entry);
  }
  return {merged, path_};
}

YamlValue YamlValue::without(std::string_view key) const {
  if (!is_map()) fail("is not a map", "a map");
  auto copy = std::make_shared<YamlNode>(*node_);
  std::erase_if(copy->children, [&](const YamlNode::Child& entry) { return entry.key == key; });
  return {copy, path_};
}

}  // namespace pipegraph
