// The oracle: every partition into stages, every split of devices, for problems of up to about
// 12 blocks and 6 devices. Slow and obviously right.
#pragma once

#include <functional>
#include <optional>

#include "core/planners/search/problem.h"

namespace pipegraph {

/// Calls `visit` with every ordered sequence of nested ideals of at most `most_stages` stages, i.e.
/// every convex partition with an acyclic stage graph (it may come several times, in different
/// orders of its stages; for a chain every order is its own plan). Devices are 1, heights unset.
void for_each_partition(const Digraph& graph, std::size_t most_stages,
                        const std::function<void(const SearchPlan&)>& visit);

/// How often for_each_partition visits; for up to 20 blocks.
double count_partitions(const Digraph& graph, std::size_t most_stages);

/// The plan of least max_time_per_sample by the problem's rules, or nothing.
std::optional<SearchPlan> exhaustive_search(const SearchProblem& problem, const BatchCosts& costs);

}  // namespace pipegraph
