// A small network, a small cluster and plans on them, for the tests of this folder.
#pragma once

#include <string>

#include "core/base/yaml_reader.h"
#include "core/plan/plan.h"
#include "core/stage/workload.h"

namespace pipegraph::test {

/// Operators a1 -> a2 -> b1 -> b2, each with the output `4 KiB`; four ideal devices; 16 samples.
Workload tiny_workload();

/// A plan that sets every field to something other than its default.
Plan full_plan();

/// Every field of both but the positions of stages.
bool equal(const Plan& a, const Plan& b);

/// What the ConfigError of reading `text` as a plan says, or "no error".
std::string plan_error(const std::string& text);

}  // namespace pipegraph::test
