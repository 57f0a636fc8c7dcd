// Swept maps and lists by what differs in them, for people who read a table.
#pragma once

#include <vector>

#include "core/report/plan_result.h"

namespace pipegraph {

/// The points with maps and lists (as JSON texts) replaced by what differs between them: a key
/// whose values differ in one place gets that place's path, `cluster.nics` becomes
/// `cluster.nics.bandwidth`; of several places each is named, "memory = 8 GiB, reserved = 1 GiB".
/// Other keys stay as they are.
std::vector<PointResult> by_difference(std::vector<PointResult> points);

}  // namespace pipegraph
