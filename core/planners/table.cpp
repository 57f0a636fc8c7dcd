#include "core/planners/table.h"

#include <algorithm>
#include <array>

#include "core/planners/alpa_inter_op.h"
#include "core/planners/balanced.h"
#include "core/planners/bapipe.h"
#include "core/planners/exhaustive.h"
#include "core/planners/graphpipe.h"
#include "core/planners/pipedream.h"
#include "core/planners/pipegraph.h"
#include "core/planners/piper.h"
#include "core/planners/uniform.h"

namespace pipegraph {
namespace {

constexpr std::array k_planners{
    PlannerEntry{"alpa_inter_op", "a chain of least pipeline latency, fill and drain included",
                 PlanKind::Sequential, configure_alpa_inter_op},
    PlannerEntry{"balanced", "blocks of least largest time; as a graph, branch by branch",
                 PlanKind::Sequential, configure_balanced},
    PlannerEntry{"bapipe", "a chain balanced by the devices' speeds, with the fastest schedule",
                 PlanKind::Sequential, configure_bapipe},
    PlannerEntry{"exhaustive", "every partition of a small graph; the oracle of `graphpipe`",
                 PlanKind::Graph, configure_exhaustive},
    PlannerEntry{"graphpipe", "a graph of stages of least largest time per sample, by exact search",
                 PlanKind::Graph, configure_graphpipe},
    PlannerEntry{"pipegraph",
                 "stages of least iteration time: candidates of other planners, and moves",
                 PlanKind::Graph, configure_pipegraph},
    PlannerEntry{"pipedream", "a chain of least largest time per sample on levels of bandwidth",
                 PlanKind::Sequential, configure_pipedream},
    PlannerEntry{"piper",
                 "stages between downsets, every later one counted in memory; recomputation",
                 PlanKind::Sequential, configure_piper},
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
