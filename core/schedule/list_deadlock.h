// Why a set of orders cannot go on: the cycle of tasks that wait for each other.
#pragma once

#include <vector>

#include "core/schedule/task_layout.h"

namespace pipegraph {

/// `next` is the first task of each slot that did not run (its number of tasks if all ran), when no
/// device can go on. At least one slot must be blocked.
ScheduleDeadlock describe_deadlock(const TaskLayout& layout, const std::vector<std::int32_t>& next);

}  // namespace pipegraph
