// The YAML form of a plan: what read_plan reads back as the same plan.
#pragma once

#include <string>

#include "core/plan/plan.h"

namespace pipegraph {

/// Block style, ending with a newline; every value written out, times to the last bit.
std::string to_yaml_text(const Plan& plan, const ComputationGraph& graph);

}  // namespace pipegraph
