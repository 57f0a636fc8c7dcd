#include "core/program/memory_model.h"

#include "core/program/reductions.h"

namespace pipegraph {

MemoryModel::MemoryModel(const Workload& the_workload, const StageGraph& the_stages,
                         const Program& the_program)
    : workload(the_workload),
      stages(the_stages),
      program(the_program),
      slots(stages, workload.training.mini_batch),
      order(program),
      flows(*workload.graph, stages),
      last_backwards(slots.size()),
      residents(program.device_count()),
      parameters(program.device_count()) {
  for (const Stage& stage : stages.stages())
    footprints.push_back(footprint(*workload.graph, stage));
  for (const DeviceParameters& stored : device_parameters(*workload.graph, stages))
    parameters[stored.device.index()] += stored.bytes;
  for (std::size_t s = 0; s < stages.size(); ++s) {
    const std::vector<DeviceId> devices = replica_devices(stages.stages()[s]);
    for (std::size_t r = 0; r < devices.size(); ++r)
      residents[devices[r].index()].push_back({make_id<StageId>(s), static_cast<std::int32_t>(r)});
  }
  for (std::size_t n = 0; n < program.size(); ++n) {
    const Instruction& i = program.instructions()[n];
    if (is_pass(i.kind) && i.kind != InstructionKind::Forward)
      last_backwards[slot_of(i)] = make_id<InstructionId>(n);
  }
}

std::int32_t MemoryModel::replica_on(DeviceId device, StageId stage) const {
  for (const Resident& resident : residents[device.index()])
    if (resident.stage == stage) return resident.replica;
  return -1;
}

std::size_t MemoryModel::slot_of(const Instruction& pass) const {
  const std::int32_t replica = replica_on(pass.device, pass.stage);
  check(replica >= 0, "a pass runs on a device of its stage");
  return slots.slot_at(pass.stage, pass.samples.first, replica);
}

}  // namespace pipegraph
