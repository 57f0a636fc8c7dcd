// Axes of the sweep first, then every combination of their positions.
#include "core/scenario/sweep.h"

#include <algorithm>
#include <utility>

#include "core/base/errors.h"

namespace pipegraph {
namespace {

constexpr std::string_view k_zip = "zip";

std::vector<YamlValue> read_values(const YamlValue& list) {
  std::vector<YamlValue> values = list.items();
  if (values.empty()) list.fail("the list is empty", "at least one value");
  return values;
}

/// Named by an error of the path, which has no place of its own.
std::string origin_of(const YamlValue& value) {
  const SourcePosition at = value.position();
  if (at.line == 0) return "sweep";
  return fmt::format("{}:{}:{}: sweep", at.file, at.line, at.column);
}

}  // namespace

Sweep::Sweep(const YamlValue& document) : base_(document) {
  const auto sweep = document.is_map() ? document.find("sweep") : std::nullopt;
  if (!sweep) return;
  for (const std::string& key : sweep->keys()) append_axes(*sweep, key);
  check_paths(*sweep);
  base_ = document.without("sweep");
  count_points(*sweep);
  try_every_value();
}

Sweep::Sweep(SweepPoint only)
    : base_(std::move(only.document)), settings_(std::move(only.settings)) {}

Sweep::Axis Sweep::read_zip(const YamlValue& map) {
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

void Sweep::append_axes(const YamlValue& sweep, const std::string& key) {
  const YamlValue value = sweep.find(key).value();
  if (key != k_zip) {
    axes_.push_back({.paths = {key}, .values = {read_values(value)}});
  } else if (value.is_sequence()) {
    for (const YamlValue& zip : value.items()) axes_.push_back(read_zip(zip));
  } else {
    axes_.push_back(read_zip(value));
  }
}

void Sweep::check_paths(const YamlValue& sweep) const {
  std::vector<std::string> paths;
  for (const Axis& axis : axes_) paths.insert(paths.end(), axis.paths.begin(), axis.paths.end());
  std::sort(paths.begin(), paths.end());
  const auto twice = std::adjacent_find(paths.begin(), paths.end());
  if (twice != paths.end())
    sweep.fail(fmt::format("'{}' is swept twice", *twice), "every path once");
}

void Sweep::count_points(const YamlValue& sweep) {
  for (const Axis& axis : axes_) {
    size_ *= axis.length();
    if (size_ > k_most_sweep_points)
      sweep.fail("the sweep has too many points",
                 fmt::format("at most {} combinations", k_most_sweep_points));
  }
}

/// Finds a wrong path or value before the first point runs, in as many steps as there are values.
void Sweep::try_every_value() const {
  std::size_t stride = size_;
  for (const Axis& axis : axes_) {
    stride /= axis.length();
    for (std::size_t position = 0; position < axis.length(); ++position) point(position * stride);
  }
}

SweepPoint Sweep::point(std::size_t index) const {
  check(index < size_, "a point of the sweep");
  std::vector<std::size_t> position(axes_.size());
  for (std::size_t a = axes_.size(); a-- > 0; index /= axes_[a].length())
    position[a] = index % axes_[a].length();
  SweepPoint point{.settings = settings_, .document = base_};
  for (std::size_t a = 0; a < axes_.size(); ++a)
    for (std::size_t p = 0; p < axes_[a].paths.size(); ++p) {
      const YamlValue& value = axes_[a].values[p][position[a]];
      point.document = point.document.with(axes_[a].paths[p], value, origin_of(value));
      point.settings.emplace_back(axes_[a].paths[p], value);
    }
  return point;
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
