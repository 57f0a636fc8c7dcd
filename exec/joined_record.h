// The two sides of a transfer see its start and end from where they stand; in a timeline it has one
// of each.
#pragma once

#include "core/program/program.h"
#include "core/run/counterparts.h"
#include "core/run/run_program.h"

namespace pipegraph {

/// Halves of a transfer and members of an all-reduce start at the latest start and end at the
/// earliest end among them, so that nothing that waits for one of them starts before it ends.
void join_counterparts(const Program& program, const Counterparts& counterparts, RunRecord& record);

}  // namespace pipegraph
