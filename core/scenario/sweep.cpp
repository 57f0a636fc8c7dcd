// Axes of the sweep first, then every combination of their positions.
#include "core/scenario/sweep.h"

#include <algorithm>

namespace pipegraph {
namespace {

constexpr std::string_view k_zip = "zip";

/// Keys that advance together: one of the product, or all of a zip.
struct Axis {
  std::vector<std::string> paths;
  std::vector<std::vector<YamlValue>> values;  ///< by path, then position
  std::size_t length() const { return values.front().size(); }
};

std::vector<YamlValue> read_values(const YamlValue& list) {
  std::vector<YamlValue> values = list.items();
  if (values.empty()) list.fail("the list is empty", "at least one value");
  return values;
}

Axis read_zip(const YamlValue& map) {
  Axis axis;
  for (const std::string& path : map.keys()) {
    const YamlValue list = map.find(path).value();
    axis.paths.push_back(path);
    axis.values.push_back(read_values(list));
    if (axis.values.back().size() != axis.length())
      list.fail(fmt::format("the list has {} values", axis.values.back().size()),
                fmt::format("{} as in '{}'", axis.length(), axis.paths.front()));
  }
  if (axis.paths.empty()) map.fail("the zip is empty", "lists of equal length");
  return axis;
}

void append_axes(const YamlValue& sweep, const std::string& key, std::vector<Axis>& axes) {
  const YamlValue value = sweep.find(key).value();
  if (key != k_zip) {
    axes.push_back({.paths = {key}, .values = {read_values(value)}});
  } else if (value.is_sequence()) {
    for (const YamlValue& zip : value.items()) axes.push_back(read_zip(zip));
  } else {
    axes.push_back(read_zip(value));
  }
}

void check_paths(const YamlValue& sweep, const std::vector<Axis>& axes) {
  std::vector<std::string> paths;
  for (const Axis& axis : axes) paths.insert(paths.end(), axis.paths.begin(), axis.paths.end());
  std::sort(paths.begin(), paths.end());
  const auto twice = std::adjacent_find(paths.begin(), paths.end());
  if (twice != paths.end())
    sweep.fail(fmt::format("'{}' is swept twice", *twice), "every path once");
}

std::size_t count_points(const YamlValue& sweep, const std::vector<Axis>& axes) {
  std::size_t points = 1;
  for (const Axis& axis : axes) {
    points *= axis.length();
    if (points > k_most_sweep_points)
      sweep.fail("the sweep has too many points",
                 fmt::format("at most {} combinations", k_most_sweep_points));
  }
  return points;
}

/// Named by an error of the path, which has no place of its own.
std::string origin_of(const YamlValue& value) {
  const SourcePosition at = value.position();
  if (at.line == 0) return "sweep";
  return fmt::format("{}:{}:{}: sweep", at.file, at.line, at.column);
}

SweepPoint point_at(const YamlValue& base, const std::vector<Axis>& axes, std::size_t index) {
  std::vector<std::size_t> position(axes.size());
  for (std::size_t a = axes.size(); a-- > 0; index /= axes[a].length())
    position[a] = index % axes[a].length();
  SweepPoint point{.settings = {}, .document = base};
  for (std::size_t a = 0; a < axes.size(); ++a)
    for (std::size_t p = 0; p < axes[a].paths.size(); ++p) {
      const YamlValue& value = axes[a].values[p][position[a]];
      point.document = point.document.with(axes[a].paths[p], value, origin_of(value));
      point.settings.emplace_back(axes[a].paths[p], value);
    }
  return point;
}

}  // namespace

std::vector<SweepPoint> expand_sweep(const YamlValue& document) {
  const auto sweep = document.is_map() ? document.find("sweep") : std::nullopt;
  if (!sweep) return {{.settings = {}, .document = document}};
  std::vector<Axis> axes;
  for (const std::string& key : sweep->keys()) append_axes(*sweep, key, axes);
  check_paths(*sweep, axes);
  const YamlValue base = document.without("sweep");
  std::vector<SweepPoint> points;
  const std::size_t count = count_points(*sweep, axes);
  points.reserve(count);
  for (std::size_t i = 0; i < count; ++i) points.push_back(point_at(base, axes, i));
  return points;
}

std::vector<std::string> swept_paths(const YamlValue& document) {
  const auto sweep = document.is_map() ? document.find("sweep") : std::nullopt;
  if (!sweep || !sweep->is_map()) return {};
  std::vector<std::string> paths;
  const auto append_keys = [&](const YamlValue& map) {
    if (!map.is_map()) return;
    for (const std::string& key : map.keys())
      if (key != k_zip) paths.push_back(key);
  };
  append_keys(*sweep);
  const auto zip = sweep->find(k_zip);
  if (zip && zip->is_sequence())
    for (const YamlValue& map : zip->items()) append_keys(map);
  else if (zip)
    append_keys(*zip);
  return paths;
}

}  // namespace pipegraph
