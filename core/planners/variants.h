// Many plans from one search: besides the least bottleneck at every micro-batch size, shallower
// plans, plans a little off the bottleneck, and plans for less memory, which are often faster.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "core/planners/layout.h"
#include "core/planners/search/family.h"

namespace pipegraph {

struct Variants {
  std::vector<Layout> layouts;
  std::uint64_t states = 0;
  std::uint64_t cuts = 0;
  std::uint64_t probes = 0;
};

/// By micro-batch size x {all memory, a half, a quarter}: the least bottleneck with ties broken by
/// depth, the least at every smaller depth, and least depth within 1, 3 and 10 % of it.
Variants search_variants(const Workload& workload, SearchInput input, PlanKind kind,
                         std::span<const std::int32_t> micro_batches);

}  // namespace pipegraph
