// How many devices it would take: for the reason why fewer do not do.
#pragma once

#include <functional>
#include <optional>

#include "core/planners/search/pairs.h"

namespace pipegraph {

/// Costs at the micro-batch size at hand on so many devices.
using CostsOnDevices = std::function<BatchCosts(int devices)>;

/// The least number of devices on which a plan over the family of `pairs` fits the memory, up to
/// one device a block; nothing if none does. `pairs` are those of `problem`.
std::optional<int> fewest_devices(const SearchProblem& problem, const PairTable& pairs,
                                  const CostsOnDevices& costs);

}  // namespace pipegraph
