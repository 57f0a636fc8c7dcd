#include "core/report/metrics.h"

#include <limits>

namespace pipegraph {
namespace {

double ratio(double part, double whole) {
  if (whole != 0.0) return part / whole;
  return part == 0.0 ? 0.0 : std::numeric_limits<double>::infinity();
}

}  // namespace

Metrics compute_metrics(const ProgramIndex& index, const Timeline& timeline,
                        const std::vector<DeviceId>& devices, std::int32_t mini_batch) {
  Metrics metrics;
  metrics.iteration_time = timeline.makespan();
  metrics.devices = device_times(index, timeline, devices);
  metrics.throughput_samples_per_s = ratio(mini_batch, metrics.iteration_time.count());
  double compute = 0.0;
  for (const DeviceTimes& times : metrics.devices) compute += times.compute.count();
  const double whole = static_cast<double>(devices.size()) * metrics.iteration_time.count();
  metrics.bubble_fraction = ratio(whole - compute, whole);
  metrics.bubble_overhead = ratio(whole - compute, compute);
  return metrics;
}

}  // namespace pipegraph
