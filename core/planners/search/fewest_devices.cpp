#include "core/planners/search/fewest_devices.h"

#include <algorithm>

#include "core/planners/search/probe.h"

namespace pipegraph {

std::optional<int> fewest_devices(const SearchProblem& problem, const PairTable& pairs,
                                  const CostsOnDevices& costs) {
  const auto fits = [&](int devices) {
    SearchProblem larger = problem;
    larger.devices = devices;
    const BatchCosts batch = costs(devices);
    return Prober(larger, pairs, batch).probe({}).plan.has_value();
  };
  int most = std::max(problem.devices, static_cast<int>(problem.blocks()));
  if (!fits(most)) return std::nullopt;
  int too_few = 0;
  while (most - too_few > 1) {
    const int middle = too_few + (most - too_few) / 2;
    (fits(middle) ? most : too_few) = middle;
  }
  return most;
}

}  // namespace pipegraph
