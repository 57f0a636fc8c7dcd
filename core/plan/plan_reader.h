// A plan from YAML: written by hand in a scenario, or the `plan:` of a plan file.
#pragma once

#include <string>
#include <vector>

#include "core/base/yaml_reader.h"
#include "core/plan/plan.h"
#include "core/stage/workload.h"

namespace pipegraph {

struct PlanReading {
  Plan plan;
  std::vector<std::string> notes;  ///< for people: what was clipped
};

/// Reads a plan for a workload. `unused_devices`, where not given, are the cluster's devices in no
/// stage. Errors: ConfigError at the value at fault; whether the stages partition the graph is left
/// to StageGraph.
PlanReading read_plan(const YamlValue& value, const Workload& workload);

}  // namespace pipegraph
