#include "core/planners/table.h"

#include <algorithm>
#include <array>

#include "core/planners/balanced.h"
#include "core/planners/exhaustive.h"
#include "core/planners/graphpipe.h"
#include "core/planners/pipegraph.h"
#include "core/planners/uniform.h"

namespace pipegraph {
namespace {

constexpr std::array k_planners{
    PlannerEntry{"balanced", "blocks of least largest time; as a graph, branch by branch",
                 PlanKind::Sequential, configure_balanced},
    PlannerEntry{"exhaustive", "every partition of a small graph; the oracle of `graphpipe`",
                 PlanKind::Graph, configure_exhaustive},
    PlannerEntry{"graphpipe", "a graph of stages of least largest time per sample, by exact search",
                 PlanKind::Graph, configure_graphpipe},
    PlannerEntry{"pipegraph",
                 "stages of least iteration time: candidates of other planners, and moves",
                 PlanKind::Graph, configure_pipegraph},
    PlannerEntry{"uniform", "the operators of the chain in equal numbers", PlanKind::Sequential,
                 configure_uniform},
};

}  // namespace

std::span<const PlannerEntry> planner_table() { return k_planners; }

const PlannerEntry* find_planner(std::string_view name) {
  const auto found = std::find_if(k_planners.begin(), k_planners.end(),
                                  [&](const PlannerEntry& entry) { return entry.name == name; });
  return found == k_planners.end() ? nullptr : &*found;
}

}  // namespace pipegraph
