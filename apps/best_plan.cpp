#include "apps/best_plan.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <span>
#include <vector>

namespace pipegraph {
namespace {

/// Two plans closer than this (relative), which the percentage would show as 0.0, take equally
/// long.
constexpr double k_equal = 5e-4;

/// What the average device does with an iteration.
struct Spent {
  double compute = 0.0;
  double communication = 0.0;
  double idle = 0.0;
};

Spent average(const Metrics& metrics) {
  Spent spent;
  const auto count = static_cast<double>(std::max<std::size_t>(metrics.devices.size(), 1));
  for (const DeviceTimes& device : metrics.devices) {
    spent.compute += device.compute.count() / count;
    spent.communication += device.exposed_communication.count() / count;
    spent.idle += device.idle.count() / count;
  }
  return spent;
}

bool proves_nothing(const PlanResult* plan) {
  return plan->measured && !plan->measured->no_verdict.empty();
}

/// Of a whole of which a millionth is nothing.
std::string difference(double seconds, double whole, const char* what) {
  if (std::abs(seconds) < 1e-6 * whole) return fmt::format("as much {}", what);
  return fmt::format("{} {} {}", to_text(Seconds{std::abs(seconds)}),
                     seconds < 0.0 ? "less" : "more", what);
}

/// "a", "a and b", "a, b and c": plans that take as long as the first.
std::string names_of(std::span<const PlanResult* const> plans) {
  std::string text = plans.front()->name;
  for (std::size_t i = 1; i < plans.size(); ++i)
    text += (i + 1 < plans.size() ? ", " : " and ") + plans[i]->name;
  return text;
}

}  // namespace

std::string best_plan_text(const PointResult& point) {
  std::vector<const PlanResult*> ok;
  for (const PlanResult& plan : point.plans)
    if (plan.status == PlanStatus::Ok && plan.metrics) ok.push_back(&plan);
  if (ok.size() < 2 || std::ranges::any_of(ok, proves_nothing)) return "";
  std::ranges::stable_sort(
      ok, {}, [](const PlanResult* plan) { return plan->metrics->iteration_time.count(); });
  const Metrics& best = *ok[0]->metrics;
  const Metrics& next = *ok[1]->metrics;
  const double saved = next.iteration_time.count() - best.iteration_time.count();
  const auto slower = std::ranges::find_if(ok, [&](const PlanResult* plan) {
    return plan->metrics->iteration_time.count() > best.iteration_time.count() * (1.0 + k_equal);
  });
  const auto equal = static_cast<std::size_t>(slower - ok.begin());
  if (equal > 1)
    return fmt::format("best: {}, {} each", names_of(std::span(ok).first(equal)),
                       to_text(best.iteration_time));
  std::string saving = fmt::format("best: {}, {:.1f} % less time than {}", ok[0]->name,
                                   100.0 * saved / next.iteration_time.count(), ok[1]->name);
  // Without a timeline nobody knows what devices spend.
  if (best.devices.empty() || next.devices.empty()) return saving;
  const double whole = best.iteration_time.count();
  const Spent a = average(best);
  const Spent b = average(next);
  return fmt::format("{}; a device spends {}, {}, {}", saving,
                     difference(a.compute - b.compute, whole, "computing"),
                     difference(a.communication - b.communication, whole, "only communicating"),
                     difference(a.idle - b.idle, whole, "idle"));
}

}  // namespace pipegraph
