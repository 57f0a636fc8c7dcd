#include "core/program/gradient_reduction.h"

#include <algorithm>
#include <unordered_set>

#include "core/program/task_slots.h"
#include "core/stage/parameters.h"

namespace pipegraph {

namespace {

/// Devices of several stages, each once, in order of stages and replicas.
std::vector<DeviceId> union_of_devices(const StageGraph& stages, const std::vector<StageId>& of) {
  std::vector<DeviceId> devices;
  std::unordered_set<DeviceId> known;
  for (const StageId stage : of)
    for (const DeviceId device : replica_devices(stages.at(stage)))
      if (known.insert(device).second) devices.push_back(device);
  return devices;
}

bool ends_gradients(Pass pass) { return pass == Pass::Backward || pass == Pass::BackwardWeight; }

}  // namespace

std::vector<Reduction> reductions(const ComputationGraph& graph, const StageGraph& stages) {
  const std::vector<SharedParameters> shared = shared_parameters(graph, stages);
  std::vector<Bytes> own;
  for (const Stage& stage : stages.stages()) own.push_back(parameters_of(graph, stage));
  for (const SharedParameters& parameters : shared)
    for (const StageId stage : parameters.stages) own[stage.index()] -= parameters.bytes;

  std::vector<Reduction> result;
  for (std::size_t s = 0; s < stages.size(); ++s) {
    const auto stage = make_id<StageId>(s);
    if (stages.at(stage).replicas() > 1 && own[s].count > 0)
      result.push_back({stage, {}, own[s], replica_devices(stages.at(stage)), {stage}});
  }
  for (const SharedParameters& parameters : shared) {
    std::vector<DeviceId> devices = union_of_devices(stages, parameters.stages);
    if (devices.size() > 1)
      result.push_back(
          {{}, parameters.owner, parameters.bytes, std::move(devices), parameters.stages});
  }
  return result;
}

GradientReduction::GradientReduction(const Workload& workload, const StageGraph& stages,
                                     const LaneChooser& lanes, ProgramBuilder& builder)
    : stages_(stages),
      lanes_(lanes),
      builder_(builder),
      element_bytes_(static_cast<std::uint8_t>(element_size(workload.training.precision).count)),
      reductions_(pipegraph::reductions(*workload.graph, stages)),
      states_(stages.size()) {
  for (std::size_t s = 0; s < stages.size(); ++s) {
    const auto replicas = static_cast<std::size_t>(stages.stages()[s].replicas());
    states_[s].last_backward.resize(replicas);
    states_[s].own_reductions.resize(replicas);
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
  std::vector<std::vector<InstructionId>*> users;
  for (const StageId stage : reduction.stages) {
    StageState& state = states_[stage.index()];
    for (std::size_t r = 0; r < state.last_backward.size(); ++r) {
      if (replica_device(stages_.at(stage), static_cast<std::int32_t>(r)) != device) continue;
      if (state.last_backward[r].valid()) waits.push_back(state.last_backward[r]);
      users.push_back(&state.own_reductions[r]);
    }
  }
  const InstructionId id = builder_.add(i, waits);
  for (std::vector<InstructionId>* own : users) own->push_back(id);
}

std::vector<InstructionId> GradientReduction::gradients_ready(StageId stage,
                                                              std::int32_t replica) const {
  const StageState& state = states_[stage.index()];
  const auto r = static_cast<std::size_t>(replica);
  if (!state.own_reductions[r].empty()) return state.own_reductions[r];
  if (state.last_backward[r].valid()) return {state.last_backward[r]};
  return {};
}

}  // namespace pipegraph
