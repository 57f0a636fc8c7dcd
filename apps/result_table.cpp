#include "apps/result_table.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "apps/best_plan.h"
#include "apps/point_text.h"
#include "apps/swept_differences.h"
#include "core/report/summary.h"

namespace pipegraph {
namespace {

/// Never "-0.0 %".
std::string percent(double fraction) {
  if (!std::isfinite(fraction)) return "";
  return fmt::format("{:.1f} %", std::round(1000.0 * fraction) / 10.0 + 0.0);
}

/// Five digits, large rates in full; none where an iteration takes no time.
std::string rate_text(double per_second) {
  if (!std::isfinite(per_second)) return "-";
  const bool large = per_second >= 1e5 && per_second < 1e12;
  return large ? fmt::format("{:.0f}", per_second) : fmt::format("{:.5g}", per_second);
}

std::string count_or_empty(const std::optional<std::int32_t>& count) {
  return count ? fmt::format("{}", *count) : "mixed";
}

std::string largest(const std::vector<Bytes>& bytes) {
  return bytes.empty() ? "" : to_text(*std::max_element(bytes.begin(), bytes.end()));
}

/// How far a simulated iteration is above what is proved to be least; empty where the bound is on
/// something else than an iteration, or the iteration was measured.
std::string above_bound(const PlanResult& plan) {
  const bool of_iterations = plan.objective && plan.objective->name == "iteration_time_s";
  if (!of_iterations || !plan.metrics || plan.measured || !plan.search->lower_bound_s) return "";
  const double above = plan.metrics->iteration_time.count() / *plan.search->lower_bound_s - 1.0;
  constexpr double k_rounding = 1e-9;
  if (above < -k_rounding) return "";
  return percent(std::max(above, 0.0));
}

std::vector<std::string> figures(const PlanResult& plan) {
  std::vector<std::string> cells{plan.name, std::string(to_text(plan.status))};
  if (plan.fits == false && plan.status == PlanStatus::Ok) cells.back() = "ok, too large";
  if (plan.metrics) {
    cells.push_back(to_text(plan.metrics->iteration_time));
    cells.push_back(rate_text(plan.metrics->throughput_samples_per_s));
    cells.push_back(percent(plan.metrics->bubble_fraction));
  } else {
    cells.insert(cells.end(), 3, "");
  }
  if (plan.shape) {
    cells.push_back(fmt::format("{}", plan.shape->depth));
    cells.push_back(fmt::format("{}", plan.shape->stages));
    cells.push_back(fmt::format("{}", plan.shape->devices));
    cells.push_back(count_or_empty(plan.shape->micro_batch_samples));
  } else {
    cells.insert(cells.end(), 4, "");
  }
  cells.push_back(largest(plan.peak_memory));
  cells.push_back(plan.transfer_time ? to_text(*plan.transfer_time) : "");
  cells.push_back(plan.search ? above_bound(plan) : "");
  cells.push_back(plan.search ? to_text(plan.search->time) : "");
  return cells;
}

std::vector<TextTable::Column> columns(const std::vector<PointResult>& points) {
  std::vector<TextTable::Column> result;
  for (const auto& [path, value] : points.front().point) result.push_back({path});
  result.push_back({"plan", TextTable::Align::Left});
  result.push_back({"status", TextTable::Align::Left});
  for (const char* name : {"iteration time", "samples/s", "bubble", "depth", "stages", "devices",
                           "micro-batch", "peak memory", "transfers", "above bound", "search"})
    result.push_back({name});
  return result;
}

}  // namespace

std::string result_text(const std::vector<PointResult>& all) {
  const std::vector<PointResult> points = by_difference(all);
  TextTable table(columns(points));
  std::string reasons;
  for (const PointResult& point : points) {
    const std::vector<std::string> place = point_values(point);
    const std::string prefix = place.empty() ? "" : point_name(point) + ": ";
    if (const std::string best = best_plan_text(point); !best.empty())
      reasons += prefix + best + "\n";
    for (const PlanResult& plan : point.plans) {
      std::vector<std::string> cells = place;
      const std::vector<std::string> more = figures(plan);
      cells.insert(cells.end(), more.begin(), more.end());
      table.add_row(std::move(cells));
      if (!plan.reason.empty())
        reasons += fmt::format("{}{}: {}\n", prefix, plan.name, plan.reason);
    }
  }
  return table.text() + (reasons.empty() ? "" : "\n" + reasons);
}

std::string results_in(OutputFormat format, const std::string& scenario,
                       const std::vector<PointResult>& points) {
  if (format == OutputFormat::Json) return summary_json(scenario, points);
  return format == OutputFormat::Csv ? results_csv(points) : result_text(points);
}

bool any_ok(const std::vector<PointResult>& points) {
  return std::any_of(points.begin(), points.end(), [](const PointResult& point) {
    return std::any_of(point.plans.begin(), point.plans.end(),
                       [](const PlanResult& plan) { return plan.status == PlanStatus::Ok; });
  });
}

}  // namespace pipegraph
