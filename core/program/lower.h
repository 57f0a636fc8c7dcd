// Plan and schedule become a program, in passes: transfers between tasks, gradient reduction,
// optimizer steps.
#pragma once

#include <cstdint>

#include "core/program/program.h"
#include "core/schedule/schedule.h"
#include "core/stage/stage_graph.h"
#include "core/stage/workload.h"

namespace pipegraph {

struct LoweringOptions {
  std::int32_t receive_slots = 0;  ///< per channel; 0: as many as the sending stage has in flight
  bool overlap = true;             ///< false: one lane per device, in global order
};

/// The program of one mini-batch. `stages` must be acyclic and `schedule` made from it.
Program lower(const Workload& workload, const StageGraph& stages, const Schedule& schedule,
              const LoweringOptions& options = {});

}  // namespace pipegraph
