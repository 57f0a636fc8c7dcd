// What no plan can beat: a lower bound on the iteration time.
#pragma once

#include <optional>

#include "core/planners/search_input.h"

namespace pipegraph {

/// The larger of all work at the best share over all devices, and the path of one sample through
/// the graph at the best share of any; transfers, reductions and memory left out. Nothing where
/// devices differ, or where too many costs would have to be looked up.
std::optional<Seconds> iteration_lower_bound(const Workload& workload, const SearchInput& input);

}  // namespace pipegraph
