#include "exec/measure/statistics.h"

#include <algorithm>
#include <cmath>

namespace pipegraph {
namespace {

constexpr double k_gross_factor = 2.0;

Seconds median(const std::vector<Seconds>& sorted) {
  const std::size_t middle = sorted.size() / 2;
  return sorted.size() % 2 == 1 ? sorted[middle] : (sorted[middle - 1] + sorted[middle]) / 2;
}

}  // namespace

Measured without_gross_outliers(std::vector<Seconds> times, Seconds allowance) {
  if (times.empty()) return {};
  std::ranges::sort(times);
  const Seconds limit = median(times) * k_gross_factor + allowance;
  std::erase_if(times, [&](Seconds time) { return time > limit; });
  const auto count = static_cast<double>(times.size());
  Seconds sum{0};
  for (const Seconds time : times) sum += time;
  const Seconds mean = sum / count;
  double squares = 0.0;
  for (const Seconds time : times) squares += (time - mean).count() * (time - mean).count();
  return {.mean = mean,
          .spread = Seconds{std::sqrt(squares / count)},
          .count = static_cast<std::int64_t>(times.size())};
}

}  // namespace pipegraph
