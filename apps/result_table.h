// The key figures of all plans for people.
#pragma once

#include <string>
#include <vector>

#include "apps/text_table.h"
#include "core/report/plan_result.h"

namespace pipegraph {

/// A row per point and plan, then a line for the best plan of each point, and one for the reason of
/// each plan that is not ok.
std::string result_text(const std::vector<PointResult>& points);

/// The result of a verb in the format asked for.
std::string results_in(OutputFormat format, const std::string& scenario,
                       const std::vector<PointResult>& points);

/// Whether any plan at any point is ok.
bool any_ok(const std::vector<PointResult>& points);

}  // namespace pipegraph
