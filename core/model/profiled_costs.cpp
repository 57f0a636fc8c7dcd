#include "core/model/profiled_costs.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "core/base/errors.h"

namespace pipegraph {

namespace {

using Point = MeasuredPass::Point;

void check_points(const Operator& op, const MeasuredPass& measured) {
  const auto refuse = [&](const std::string& problem, const std::string& expected) {
    throw ConfigError(
        op.position,
        fmt::format("the profile of '{}' {}: {}", op.name, to_text(measured.pass), problem),
        expected);
  };
  if (measured.points.empty()) refuse("no sample count was measured", "one or more");
  for (const Point& point : measured.points) {
    if (point.samples <= 0) refuse(fmt::format("{} samples", point.samples), "1 or more");
    if (!(point.time.count() >= 0.0) || !std::isfinite(point.time.count()))
      refuse(fmt::format("{} s for {} samples", point.time.count(), point.samples),
             "a time of 0 or more");
  }
  for (std::size_t i = 0; i + 1 < measured.points.size(); ++i)
    if (measured.points[i].samples == measured.points[i + 1].samples)
      refuse(fmt::format("two times for {} samples", measured.points[i].samples), "one");
}

/// The line through two points at `samples`.
Seconds on_line(const Point& a, const Point& b, std::int64_t samples) {
  const double along =
      static_cast<double>(samples - a.samples) / static_cast<double>(b.samples - a.samples);
  return a.time + (b.time - a.time) * along;
}

Seconds in_proportion(const Point& point, std::int64_t samples) {
  return point.time * (static_cast<double>(samples) / static_cast<double>(point.samples));
}

/// `points` sorted, `samples` outside them.
Seconds extrapolate(const std::vector<Point>& points, std::int64_t samples) {
  const bool below = samples < points.front().samples;
  const Point& nearest = below ? points.front() : points.back();
  const Seconds proportional = in_proportion(nearest, samples);
  if (points.size() == 1) return proportional;
  if (below) return std::max(on_line(points[0], points[1], samples), proportional);
  return std::max(on_line(points[points.size() - 2], nearest, samples), nearest.time);
}

}  // namespace

ProfiledCosts::ProfiledCosts(const ComputationGraph& graph, Profile profile,
                             const CostModel& fallback)
    : graph_(graph), fallback_(fallback), extrapolation_(profile.extrapolation) {
  for (MeasuredPass& measured : profile.passes) {
    check(measured.id.valid() && measured.id.index() < graph.size(), "no such operator");
    const Operator& op = graph.at(measured.id);
    std::sort(measured.points.begin(), measured.points.end(),
              [](const Point& a, const Point& b) { return a.samples < b.samples; });
    check_points(op, measured);
    if (!points_.emplace(std::pair(measured.id, measured.pass), std::move(measured.points)).second)
      throw ConfigError(
          op.position,
          fmt::format("the profile has '{}' {} twice", op.name, to_text(measured.pass)), "once");
  }

  std::size_t missing = 0;
  for (std::size_t i = 0; i < graph.size(); ++i) {
    const auto id = make_id<OperatorId>(i);
    const bool backward =
        find(id, Pass::Backward) != nullptr ||
        (find(id, Pass::BackwardInput) != nullptr && find(id, Pass::BackwardWeight) != nullptr);
    if (find(id, Pass::Forward) == nullptr || !backward) ++missing;
  }
  source_ = "profile " + profile.name;
  if (missing > 0)
    source_ += fmt::format("; {} for {} of {} operators", fallback.source(), missing, graph.size());
}

const ProfiledCosts::Points* ProfiledCosts::find(OperatorId id, Pass pass) const {
  const auto found = points_.find({id, pass});
  return found == points_.end() ? nullptr : &found->second;
}

Seconds ProfiledCosts::measured(OperatorId id, Pass pass, std::int64_t samples) const {
  const Points& points = *find(id, pass);
  const auto above = std::find_if(points.begin(), points.end(),
                                  [&](const Point& point) { return point.samples >= samples; });
  if (above != points.end() && above->samples == samples) return above->time;
  if (above != points.begin() && above != points.end())
    return on_line(*(above - 1), *above, samples);
  if (extrapolation_ == Extrapolation::Linear) return extrapolate(points, samples);
  throw ConfigError(
      graph_.at(id).position,
      fmt::format("'{}' {} was measured for {} to {} samples, not for {}", graph_.at(id).name,
                  to_text(pass), points.front().samples, points.back().samples, samples),
      "a profile that covers it, or 'extrapolate: true' beside its file");
}

Seconds ProfiledCosts::time(OperatorId id, Pass pass, std::int64_t samples,
                            const ComputeRate& rate) const {
  check(samples > 0, "a pass needs samples");
  if (find(id, pass) != nullptr) return measured(id, pass, samples) * rate.slowdown;
  const bool halves = find(id, Pass::BackwardInput) && find(id, Pass::BackwardWeight);
  if (pass == Pass::Backward && halves)
    return (measured(id, Pass::BackwardInput, samples) +
            measured(id, Pass::BackwardWeight, samples)) *
           rate.slowdown;
  const bool is_half = pass == Pass::BackwardInput || pass == Pass::BackwardWeight;
  if (is_half && find(id, Pass::Backward) != nullptr) {
    const double share = input_gradient_share(graph_.at(id));
    return measured(id, Pass::Backward, samples) *
           (rate.slowdown * (pass == Pass::BackwardInput ? share : 1.0 - share));
  }
  return fallback_.time(id, pass, samples, rate);
}

std::string_view ProfiledCosts::source() const { return source_; }

}  // namespace pipegraph
