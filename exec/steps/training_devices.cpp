#include "exec/steps/training_devices.h"

namespace pipegraph {

namespace {

const Workload& checked(const Workload& workload, const StageGraph& stages,
                        std::span<const Precision> precisions) {
  check_trainable(workload, stages, precisions);
  return workload;
}

}  // namespace

TrainingDevices::TrainingDevices(const Workload& workload, const StageGraph& stages,
                                 const Program& program, std::span<const Precision> precisions)
    : tables_(checked(workload, stages, precisions), stages, program),
      engines_(program.device_count()) {}

}  // namespace pipegraph
