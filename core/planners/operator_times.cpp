#include "core/planners/operator_times.h"

#include <algorithm>

namespace pipegraph {

std::vector<ComputeRate> kinds_of_devices(const Workload& workload) {
  std::vector<ComputeRate> kinds;
  for (const Device& device : workload.topology->devices()) {
    const ComputeRate rate = compute_rate(device, workload.training.precision);
    if (std::find(kinds.begin(), kinds.end(), rate) == kinds.end()) kinds.push_back(rate);
  }
  return kinds;
}

std::vector<double> operator_times(const Workload& workload, std::int64_t samples) {
  std::vector<double> times(workload.graph->size(), 0.0);
  for (const ComputeRate& rate : kinds_of_devices(workload))
    for (std::size_t i = 0; i < times.size(); ++i) {
      const auto op = make_id<OperatorId>(i);
      const Seconds both = workload.costs->time(op, Pass::Forward, samples, rate) +
                           workload.costs->time(op, Pass::Backward, samples, rate);
      times[i] = std::max(times[i], both.count());
    }
  return times;
}

double sum_over(std::span<const OperatorId> operators, std::span<const double> times) {
  double total = 0;
  for (const OperatorId op : operators) total += times[op.index()];
  return total;
}

}  // namespace pipegraph
