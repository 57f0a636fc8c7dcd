// summary.json and results.csv: the key figures of all plans at all points.
#pragma once

#include <string>
#include <vector>

#include "core/report/plan_result.h"

namespace pipegraph {

/// The text of summary.json, as `--format json` prints it.
std::string summary_json(const std::string& scenario, const std::vector<PointResult>& points);

/// The same as a table, as `--format csv` prints it: a row per point and plan; the point's keys,
/// the plan's scalars, and for each list of numbers its largest value as `max_<key>`, for
/// `unused_devices` their number.
std::string results_csv(const std::vector<PointResult>& points);

}  // namespace pipegraph
