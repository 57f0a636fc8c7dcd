// Everything that lifetimes are read off: the program, what its stages keep, and what happens
// before what.
#pragma once

#include <vector>

#include "core/program/causal_order.h"
#include "core/program/flows.h"
#include "core/program/footprint.h"
#include "core/program/program.h"
#include "core/program/task_slots.h"
#include "core/stage/workload.h"

namespace pipegraph {

/// A replica that stands on a device.
struct Resident {
  StageId stage;
  std::int32_t replica = 0;
};

struct MemoryModel {
  MemoryModel(const Workload& workload, const StageGraph& stages, const Program& program);

  /// The stage's replica on the device; -1 if it has none there.
  std::int32_t replica_on(DeviceId device, StageId stage) const;
  std::size_t slot_of(const Instruction& pass) const;

  const Workload& workload;
  const StageGraph& stages;
  const Program& program;
  TaskSlots slots;
  CausalOrder order;
  StageFlows flows;
  std::vector<Footprint> footprints;             ///< by stage
  std::vector<InstructionId> last_backwards;     ///< by slot: ends what its forward keeps
  std::vector<std::vector<Resident>> residents;  ///< by device
  std::vector<Bytes> parameters;                 ///< by device, as the model counts them
};

}  // namespace pipegraph
