// The options of planners as YAML: keys beside `planner:` in an entry of a scenario's plans.
#pragma once

#include "core/base/yaml_reader.h"
#include "core/planners/table.h"

namespace pipegraph {

/// A planner with its own options, and the common ones.
struct ConfiguredPlanner {
  Planner run;
  PlannerOptions options;
};

/// Reads `name` (default: the planner's), `kind`, `schedule`, `extra_in_flight`, `skip_transfer`,
/// `receive_slots`, `micro_batch` (a number or a list), `device_use`, `choose`, and what `entry`
/// asks for on top. The caller asks for `planner` before and calls finish() after. Errors:
/// ConfigError at the value.
ConfiguredPlanner read_planner(MapReader& map, const PlannerEntry& entry);

}  // namespace pipegraph
