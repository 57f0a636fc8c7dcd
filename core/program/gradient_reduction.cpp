#include "core/program/gradient_reduction.h"

#include <algorithm>

#include "core/program/task_slots.h"
#include "core/stage/parameter_copies.h"

namespace pipegraph {

namespace {
bool ends_gradients(Pass pass) { return pass == Pass::Backward || pass == Pass::BackwardWeight; }
}  // namespace

GradientReduction::GradientReduction(const Workload& workload, const StageGraph& stages,
                                     const LaneChooser& lanes, ProgramBuilder& builder)
    : stages_(stages),
      lanes_(lanes),
      builder_(builder),
      element_bytes_(
          static_cast<std::uint8_t>(gradient_element(workload.training.precision).count)),
      reductions_(pipegraph::reductions(workload, stages)),
      states_(stages.size()) {
  for (std::size_t s = 0; s < stages.size(); ++s) {
    const auto replicas = static_cast<std::size_t>(stages.stages()[s].replicas());
    states_[s].last_backward.resize(replicas);
    states_[s].members.resize(replicas);
  }
  for (std::size_t r = 0; r < reductions_.size(); ++r)
    for (const StageId stage : reductions_[r].stages)
      states_[stage.index()].reductions.push_back(r);
}

std::size_t GradientReduction::instructions() const {
  std::size_t count = 0;
  for (const Reduction& reduction : reductions_) count += reduction.devices.size();
  return count;
}

void GradientReduction::count(const std::vector<DeviceTask>& sequence) {
  for (const DeviceTask& task : sequence)
    if (ends_gradients(task.task.pass)) ++states_[task.task.stage.index()].backwards_left;
}

void GradientReduction::passed(const DeviceTask& task, InstructionId pass) {
  if (!ends_gradients(task.task.pass)) return;
  StageState& state = states_[task.task.stage.index()];
  state.last_backward[static_cast<std::size_t>(task.replica)] = pass;
  if (--state.backwards_left > 0) return;
  for (const std::size_t r : state.reductions) {
    const std::vector<StageId>& stages = reductions_[r].stages;
    if (std::all_of(stages.begin(), stages.end(),
                    [&](StageId s) { return states_[s.index()].backwards_left == 0; }))
      add(reductions_[r]);
  }
}

void GradientReduction::add(const Reduction& reduction) {
  const GroupId group = builder_.group({reduction.devices});
  for (const DeviceId device : reduction.devices) add_member(reduction, group, device);
}

void GradientReduction::add_member(const Reduction& reduction, GroupId group, DeviceId device) {
  Instruction i;
  i.kind = InstructionKind::AllReduce;
  i.element_bytes = element_bytes_;
  i.device = device;
  i.lane = lanes_.choose({device, LaneKind::Collective, {}, group});
  i.stage = reduction.stage;
  i.group = group;
  i.bytes = reduction.bytes;
  std::vector<InstructionId> waits;
  std::vector<std::vector<Member>*> users;
  for (const StageId stage : reduction.stages) {
    StageState& state = states_[stage.index()];
    for (std::size_t r = 0; r < state.last_backward.size(); ++r) {
      if (replica_device(stages_.at(stage), static_cast<std::int32_t>(r)) != device) continue;
      if (state.last_backward[r].valid()) waits.push_back(state.last_backward[r]);
      users.push_back(&state.members[r]);
    }
  }
  const InstructionId id = builder_.add(i, waits);
  for (std::vector<Member>* members : users) members->push_back({reduction.owner, id});
}

std::vector<InstructionId> GradientReduction::gradients_ready(
    const DeviceParameters& parameters) const {
  const StageState& state = states_[parameters.stage.index()];
  const auto r = static_cast<std::size_t>(parameters.replica);
  const std::vector<OperatorId>& owners = parameters.owners;
  std::vector<InstructionId> ready;
  for (const Member& member : state.members[r])
    if (!member.owner.valid() || std::binary_search(owners.begin(), owners.end(), member.owner))
      ready.push_back(member.all_reduce);
  if (ready.empty() && state.last_backward[r].valid()) ready.push_back(state.last_backward[r]);
  return ready;
}

}  // namespace pipegraph
