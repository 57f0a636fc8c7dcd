#include "core/program/optimizer_step.h"

#include "core/stage/stage_costs.h"

namespace pipegraph {

void add_optimizer_steps(const Workload& workload, const std::vector<DeviceParameters>& parameters,
                         const GradientReduction& gradients, ProgramBuilder& builder) {
  if (workload.training.optimizer == Optimizer::None) return;
  for (const DeviceParameters& own : parameters) {
    Instruction i;
    i.kind = InstructionKind::Optimizer;
    i.device = own.device;
    i.lane = builder.lane({own.device, LaneKind::Compute, {}, {}});
    i.stage = own.stage;
    i.duration =
        optimizer_time(workload.training, own.bytes, workload.topology->device(own.device));
    builder.add(i, gradients.gradients_ready(own));
  }
}

}  // namespace pipegraph
