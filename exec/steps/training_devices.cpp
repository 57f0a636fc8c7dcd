#include "exec/steps/training_devices.h"

#include "exec/steps/executable.h"

namespace pipegraph {

namespace {

const Workload& checked(const Workload& workload, const StageGraph& stages) {
  check_trainable(workload, stages);
  return workload;
}

}  // namespace

TrainingDevices::TrainingDevices(const Workload& workload, const StageGraph& stages,
                                 const Program& program)
    : tables_(checked(workload, stages), stages, program), engines_(program.device_count()) {}

}  // namespace pipegraph
