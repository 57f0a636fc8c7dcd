#include "core/stage/stage_costs.h"

#include "core/stage/parameter_copies.h"

namespace pipegraph {

Seconds pass_time(const Workload& workload, const Stage& stage, Pass pass, std::int64_t samples,
                  DeviceId device) {
  check(samples > 0, "a pass has samples");
  const ComputeRate rate =
      compute_rate(workload.topology->device(device), workload.training.precision);
  Seconds total{0};
  if (pass == Pass::Backward || pass == Pass::BackwardInput)
    for (const OperatorId op : stage.recompute)
      total += workload.costs->time(op, Pass::Forward, samples, rate);
  for (const OperatorId op : stage.operators)
    total += workload.costs->time(op, pass, samples, rate);
  return total;
}

Seconds optimizer_time(const Training& training, Bytes parameters, const Device& device) {
  if (training.optimizer == Optimizer::None || device.memory_bandwidth.value <= 0)
    return Seconds{0};
  return parameters * optimizer_traffic(training) / device.memory_bandwidth;
}

}  // namespace pipegraph
