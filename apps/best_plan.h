// Which plan is best, and why: where its devices spend less time than those of the next one.
#pragma once

#include <string>

#include "core/report/plan_result.h"

namespace pipegraph {

/// One line: the fastest plan that is ok against the second fastest, by what a device computes, by
/// exposed communication and by idling, each on average. Empty unless two plans are ok.
std::string best_plan_text(const PointResult& point);

}  // namespace pipegraph
