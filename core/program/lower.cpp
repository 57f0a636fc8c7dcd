#include "core/program/lower.h"

#include "core/base/errors.h"
#include "core/program/gradient_reduction.h"
#include "core/program/optimizer_step.h"
#include "core/program/transfers.h"

namespace pipegraph {

namespace {

std::vector<std::string> stage_names(const StageGraph& stages) {
  std::vector<std::string> names;
  for (const Stage& stage : stages.stages()) names.push_back(stage.name);
  return names;
}

std::vector<char> overlaps(const Topology& topology, const LoweringOptions& options) {
  std::vector<char> result;
  for (const Device& device : topology.devices())
    result.push_back(options.overlap && device.overlap ? 1 : 0);
  return result;
}

}  // namespace

Program lower(const Workload& workload, const StageGraph& stages, const Schedule& schedule,
              const LoweringOptions& options) {
  check(stages.acyclic(), "a cyclic stage graph cannot be lowered");
  check(options.receive_slots >= 0, "receive slots are a number, 0 for the default");
  ProgramBuilder builder(workload.topology->size(), stage_names(stages));
  const LaneChooser lanes(builder, overlaps(*workload.topology, options));
  const TaskSlots slots(stages, workload.training.mini_batch);
  const std::vector<DeviceParameters> parameters = device_parameters(*workload.graph, stages);

  TransferLowering transfers({workload, stages, slots, lanes}, builder, options.receive_slots);
  GradientReduction gradients(workload, stages, lanes, builder);
  transfers.reserve(schedule.sequence, gradients.instructions() + parameters.size());
  gradients.count(schedule.sequence);
  for (const DeviceTask& task : schedule.sequence) {
    const InstructionId pass = transfers.add(task);
    gradients.passed(task, pass);
  }
  add_optimizer_steps(workload, parameters, gradients, builder);
  return std::move(builder).build();
}

}  // namespace pipegraph
