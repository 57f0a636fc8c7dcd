#include "apps/swept_differences.h"

#include <fmt/format.h>

#include <algorithm>
#include <nlohmann/json.hpp>
#include <optional>
#include <string>

namespace pipegraph {
namespace {

using Json = nlohmann::ordered_json;
using Leaves = std::vector<std::pair<std::string, Json>>;  ///< by path, in order

void collect(const Json& value, const std::string& path, Leaves& leaves) {
  if (value.is_object()) {
    for (const auto& [key, child] : value.items()) collect(child, path + '.' + key, leaves);
  } else if (value.is_array()) {
    for (std::size_t i = 0; i < value.size(); ++i)
      collect(value[i], fmt::format("{}[{}]", path, i), leaves);
  } else {
    leaves.emplace_back(path, value);
  }
}

/// Everything in a map or list; nothing for other values.
std::optional<Leaves> leaves_of(const PointValue& value) {
  const std::string* const text = std::get_if<std::string>(&value);
  if (text == nullptr || !(text->starts_with('{') || text->starts_with('['))) return std::nullopt;
  const Json json = Json::parse(*text, nullptr, false);
  if (!json.is_structured()) return std::nullopt;
  Leaves leaves;
  collect(json, "", leaves);
  return leaves;
}

const Json* find(const Leaves& leaves, const std::string& path) {
  const auto found = std::ranges::find(
      leaves, path, [](const auto& leaf) -> const std::string& { return leaf.first; });
  return found == leaves.end() ? nullptr : &found->second;
}

std::string leaf_text(const Json& leaf) {
  return leaf.is_string() ? leaf.get<std::string>() : leaf.dump();
}

/// Paths whose values differ, or that are not everywhere, in the order they first come.
std::vector<std::string> differing(const std::vector<Leaves>& points) {
  std::vector<std::string> paths;
  for (const Leaves& leaves : points)
    for (const auto& [path, leaf] : leaves) {
      if (std::ranges::find(paths, path) != paths.end()) continue;
      const bool same = std::ranges::all_of(points, [&](const Leaves& other) {
        const Json* const value = find(other, path);
        return value != nullptr && *value == leaf;
      });
      if (!same) paths.push_back(path);
    }
  return paths;
}

std::string named(const Leaves& leaves, const std::vector<std::string>& paths) {
  std::string text;
  for (const std::string& path : paths)
    if (const Json* const leaf = find(leaves, path))
      text += fmt::format("{}{} = {}", text.empty() ? "" : ", ",
                          path.starts_with('.') ? path.substr(1) : path, leaf_text(*leaf));
  return text.empty() ? "none" : text;
}

/// The values of key number `index`, if all are maps or lists.
std::optional<std::vector<Leaves>> values_of(const std::vector<PointResult>& points,
                                             std::size_t index) {
  std::vector<Leaves> values;
  for (const PointResult& point : points) {
    auto leaves = leaves_of(point.point[index].second);
    if (!leaves) return std::nullopt;
    values.push_back(std::move(*leaves));
  }
  return values;
}

void simplify(std::vector<PointResult>& points, std::size_t index) {
  const auto values = values_of(points, index);
  if (!values) return;
  const std::vector<std::string> paths = differing(*values);
  if (paths.empty()) return;
  const bool one = paths.size() == 1 && std::ranges::all_of(*values, [&](const Leaves& leaves) {
                     return find(leaves, paths.front()) != nullptr;
                   });
  for (std::size_t p = 0; p < points.size(); ++p) {
    auto& [key, value] = points[p].point[index];
    if (one) key += paths.front();
    value = one ? leaf_text(*find((*values)[p], paths.front())) : named((*values)[p], paths);
  }
}

}  // namespace

std::vector<PointResult> by_difference(std::vector<PointResult> points) {
  for (std::size_t index = 0; !points.empty() && index < points.front().point.size(); ++index)
    simplify(points, index);
  return points;
}

}  // namespace pipegraph
