#include "core/report/measured_times.h"

#include <algorithm>
#include <cmath>

#include "core/base/errors.h"

namespace pipegraph {
namespace {

Seconds quantile(const std::vector<Seconds>& sorted, double fraction) {
  const double place = fraction * static_cast<double>(sorted.size() - 1);
  const auto below = static_cast<std::size_t>(std::floor(place));
  const std::size_t above = std::min(below + 1, sorted.size() - 1);
  return sorted[below] + (sorted[above] - sorted[below]) * (place - std::floor(place));
}

}  // namespace

Quartiles quartiles(std::vector<Seconds> times) {
  check(!times.empty(), "at least one step was timed");
  std::ranges::sort(times);
  return {quantile(times, 0.25), quantile(times, 0.5), quantile(times, 0.75)};
}

}  // namespace pipegraph
