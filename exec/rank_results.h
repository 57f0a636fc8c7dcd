// What ranks put together after a step.
#pragma once

#include <vector>

#include "core/program/program.h"
#include "core/run/run_program.h"
#include "exec/transport/ranks.h"

namespace pipegraph {

/// The latest of all ranks' times.
Seconds latest_of_ranks(Ranks& ranks, Seconds own);

/// Whose instructions a rank has noted.
struct RecordPart {
  const Program& program;
  const std::vector<DeviceId>& devices;
};

/// Fills what other ranks have noted into `record`, on every rank.
void gather_record(Ranks& ranks, const RecordPart& part, RunRecord& record);

}  // namespace pipegraph
