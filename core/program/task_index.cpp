#include "core/program/task_index.h"

#include <algorithm>

#include "core/program/matching.h"

namespace pipegraph {

TaskIndex::TaskIndex(const Program& program, const StageGraph& stages, const TaskSlots& slots,
                     Problems& problems)
    : forward_(slots.size()),
      gradient_(slots.size()),
      weight_(slots.size()),
      last_pass_(program.device_count()) {
  for (const Stage& stage : stages.stages()) {
    const std::vector<DeviceId> devices = replica_devices(stage);
    const auto [low, high] = std::minmax_element(devices.begin(), devices.end());
    ReplicaTable& table = replicas_.emplace_back();
    table.first_device = low->value;
    table.replica.assign(static_cast<std::size_t>(high->value - low->value) + 1, -1);
    for (std::size_t r = 0; r < devices.size(); ++r)
      table.replica[static_cast<std::size_t>(devices[r].value - low->value)] =
          static_cast<std::int32_t>(r);
    last_contribution_.emplace_back(devices.size());
  }
  for (std::size_t n = 0; n < program.size(); ++n)
    if (is_pass(program.instructions()[n].kind))
      add(program, make_id<InstructionId>(n), slots, problems);
  find_missing(stages, slots, problems);
}

std::int32_t TaskIndex::replica(StageId stage, DeviceId device) const {
  const ReplicaTable& table = replicas_[stage.index()];
  const std::int32_t offset = device.value - table.first_device;
  if (offset < 0 || static_cast<std::size_t>(offset) >= table.replica.size()) return -1;
  return table.replica[static_cast<std::size_t>(offset)];
}

void TaskIndex::add(const Program& program, InstructionId id, const TaskSlots& slots,
                    Problems& problems) {
  const Instruction& i = program.at(id);
  if (!i.stage.valid() || i.stage.index() >= replicas_.size())
    return problems.add("{} is of no stage of the plan", on_device(program, id));
  const std::int32_t replica = this->replica(i.stage, i.device);
  if (replica < 0)
    return problems.add("{} is not on a device of its stage", on_device(program, id));
  const SharePartition& partition = slots.partition(i.stage);
  const std::int32_t micro_batch = partition.index_of(i.samples.first);
  if (micro_batch >= partition.count() || partition.share(micro_batch, replica) != i.samples)
    return problems.add("{} is not the share of replica {} in a micro-batch",
                        on_device(program, id), replica);
  const std::size_t slot = slots.slot(i.stage, micro_batch, replica);
  const auto take = [&](InstructionId& place) {
    if (place.valid()) problems.add("{} is done twice", on_device(program, id));
    place = id;
  };
  if (i.kind == InstructionKind::Forward)
    take(forward_[slot]);
  else if (i.kind != InstructionKind::BackwardWeight)
    take(gradient_[slot]);
  if (i.kind == InstructionKind::Backward || i.kind == InstructionKind::BackwardWeight) {
    if (i.kind == InstructionKind::BackwardWeight || !weight_[slot].valid()) take(weight_[slot]);
    last_contribution_[i.stage.index()][static_cast<std::size_t>(replica)] = id;
  }
  last_pass_[i.device.index()] = id;
}

const char* TaskIndex::missing_pass(std::size_t slot) const {
  if (!forward_[slot].valid()) return "forwarded";
  if (!gradient_[slot].valid()) return "backwarded";
  if (!weight_[slot].valid()) return "backwarded to the weights";
  return nullptr;
}

void TaskIndex::find_missing(const StageGraph& stages, const TaskSlots& slots,
                             Problems& problems) const {
  for (std::size_t s = 0; s < stages.size() && !problems.full(); ++s) {
    const auto stage = make_id<StageId>(s);
    const SharePartition& partition = slots.partition(stage);
    for (std::int32_t m = 0; m < partition.count(); ++m)
      for (std::int32_t r = 0; r < partition.replicas(); ++r) {
        const MicroBatch share = partition.share(m, r);
        if (share.empty()) continue;
        const std::size_t slot = slots.slot(stage, m, r);
        if (const char* const missing = missing_pass(slot))
          problems.add("samples {} are not {} by stage {} on d{}", to_text(share), missing, s,
                       replica_device(stages.at(stage), r).value);
      }
  }
}

}  // namespace pipegraph
