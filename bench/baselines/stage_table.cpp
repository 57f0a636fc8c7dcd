#include "bench/baselines/stage_table.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <vector>

#include "core/planners/search/pair_costs.h"

namespace pipegraph::bench {
namespace {

constexpr double k_infinite = std::numeric_limits<double>::infinity();
using Table = std::vector<std::vector<double>>;  // [ideal][devices]: at most that many

/// One more stage, the `height`-th from the end.
Table one_stage_more(const SearchProblem& problem, const PairTable& pairs, const PairCosts& costs,
                     const Table& before, int height) {
  Table after(before.size(), std::vector<double>(before.front().size(), k_infinite));
  for (const StagePair& pair : pairs.pairs()) {
    const std::vector<double>& below = before[static_cast<std::size_t>(pair.inner)];
    std::vector<double>& value = after[static_cast<std::size_t>(pair.outer)];
    for (int own = 1; own <= costs.most_devices(); ++own) {
      if (costs.most_height(pair, own) < height) continue;
      const double time = costs.time(pair, own);
      for (int all = own; all <= problem.devices; ++all)
        value[static_cast<std::size_t>(all)] =
            std::min(value[static_cast<std::size_t>(all)],
                     std::max(below[static_cast<std::size_t>(all - own)], time));
    }
  }
  return after;
}

}  // namespace

std::optional<double> table_bottleneck(const SearchProblem& problem, const PairTable& pairs,
                                       const BatchCosts& batch) {
  const PairCosts costs(problem, pairs, batch);
  const auto columns = static_cast<std::size_t>(problem.devices) + 1;
  Table table(pairs.ideals(), std::vector<double>(columns, k_infinite));
  std::ranges::fill(table.front(), 0.0);
  double best = k_infinite;
  const auto most_stages = std::min(problem.devices, static_cast<int>(problem.blocks()));
  for (int stages = 1; stages <= most_stages; ++stages) {
    table = one_stage_more(problem, pairs, costs, table, stages);
    best = std::min(best, table.back().back());
  }
  if (std::isinf(best)) return std::nullopt;
  return best;
}

}  // namespace pipegraph::bench
