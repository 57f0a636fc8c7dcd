// A scenario's cost file in use: operators for planners, a table of transfers, and times of plans
// that were measured as they are.
#pragma once

#include <optional>
#include <string>

#include "core/profile/cost_file.h"
#include "core/scenario/scenario.h"
#include "core/stage/workload.h"

namespace pipegraph {

/// A cost file and how it is to be used.
struct MeasuredCosts {
  CostFile file;
  CostsRequest request;
  std::string name;  ///< of the file, for people
};

/// Reads the file that `scenario` names, if it names one. Errors: ConfigError, also for a file of
/// another model, or one whose `operators` lack some of the model's.
std::optional<MeasuredCosts> load_costs(const Scenario& scenario, const ComputationGraph& graph);

/// Operators' times, where they were measured, and the table of transfers into `workload`. Without
/// operators, and where the scenario brings its plans along, nothing takes time until with_costs.
void use_costs(const MeasuredCosts& costs, const Scenario& scenario, Workload& workload);

/// A program as it is to be simulated, and where the times of its computes come from.
struct CostedProgram {
  Program program;
  std::string source;  ///< "plan profile FILE", "operator profile FILE: why", "roofline", ...
};

/// With the plan's own times if they were measured and count on this machine, else with those the
/// program has, which come from the operators. Errors: ConfigError if the file has neither.
CostedProgram with_costs(const Program& program, const std::string& program_hash,
                         const std::optional<MeasuredCosts>& costs, const Workload& workload);

}  // namespace pipegraph
