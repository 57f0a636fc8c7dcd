// What every pass needs, worked out from operators and samples one by one, with no notion of stage
// edges, messages or shapes: the slow, obviously right counterpart of the lowering.
#pragma once

#include <string>

#include "tests/core/program/plans.h"

namespace pipegraph::test {

/// The first thing that a pass uses and that nothing it waits for provides, or that travels to a
/// device twice; "" if there is none. Direct transfers only.
std::string missing_data(const TinyPlan& plan);

}  // namespace pipegraph::test
