// What ranks put together after a step.
#pragma once

#include <vector>

#include "core/program/program.h"
#include "core/run/run_program.h"
#include "exec/common_clock.h"
#include "exec/transport/ranks.h"

namespace pipegraph {

/// The latest of all ranks' times.
Seconds latest_of_ranks(Ranks& ranks, Seconds own);

/// Whose instructions a rank has noted, by which clock.
struct RecordPart {
  const Program& program;
  const std::vector<DeviceId>& devices;
  const CommonClock& clock;
};

/// Fills what other ranks have noted into `record`, on every rank, all by the clock of rank 0.
void gather_record(Ranks& ranks, const RecordPart& part, RunRecord& record);

}  // namespace pipegraph
