// All planners by name.
#pragma once

#include <span>
#include <string_view>

#include "core/base/yaml_reader.h"
#include "core/planners/planner.h"

namespace pipegraph {

struct PlannerEntry {
  std::string_view name;         ///< as in YAML: "balanced", "uniform"
  std::string_view description;  ///< one line
  PlanKind kind;                 ///< of its plans unless `kind:` says otherwise
  /// Reads the planner's own options, which no other planner has.
  Planner (*configure)(MapReader& options);
};

std::span<const PlannerEntry> planner_table();
/// nullptr if unknown.
const PlannerEntry* find_planner(std::string_view name);

}  // namespace pipegraph
