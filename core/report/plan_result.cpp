#include "core/report/plan_result.h"

#include <algorithm>
#include <limits>

namespace pipegraph {

PlanShape plan_shape(const StageGraph& stages, const Schedule& schedule, const Topology& topology,
                     std::int32_t mini_batch) {
  const std::vector<DeviceId> used = stages.devices();
  PlanShape shape;
  shape.depth = stages.depth();
  shape.stages = stages.size();
  shape.devices = used.size();
  for (const Stage& stage : stages.stages()) {
    const std::int32_t samples = std::min(stage.micro_batch, mini_batch);
    if (&stage == &stages.stages().front()) shape.micro_batch_samples = samples;
    if (shape.micro_batch_samples != samples) shape.micro_batch_samples.reset();
  }
  for (const StageSchedule& stage : schedule.stages)
    shape.in_flight_samples.push_back(stage.in_flight_peak);
  for (std::size_t i = 0; i < topology.size(); ++i)
    if (!std::ranges::binary_search(used, make_id<DeviceId>(i)))
      shape.unused_devices.push_back(make_id<DeviceId>(i));
  return shape;
}

void add_run(PlanResult& result, const RunReport& report) {
  result.metrics = report.metrics;
  result.fits = report.run.memory.fits();
  result.instructions = report.run.program.size();
  result.peak_memory.clear();
  for (const MemoryCurve& curve : report.memory) result.peak_memory.push_back(curve.peak_bytes());
}

void add_measured(PlanResult& result, const MeasuredTimes& times, std::int32_t mini_batch) {
  result.measured = times;
  if (!result.metrics) {
    constexpr double k_unknown = std::numeric_limits<double>::quiet_NaN();
    result.metrics = Metrics{.bubble_fraction = k_unknown, .bubble_overhead = k_unknown};
  }
  result.metrics->iteration_time = times.untraced.median;
  result.metrics->throughput_samples_per_s = mini_batch / times.untraced.median.count();
}

void add_out_of_memory(PlanResult& result, const MemoryReport& memory, const StageGraph& stages,
                       const Topology& topology) {
  result.status = PlanStatus::OutOfMemory;
  result.reason = memory.problem;
  result.fits = false;
  result.peak_memory.clear();
  for (DeviceId device : stages.devices())
    result.peak_memory.push_back(memory.devices[device.index()].peak +
                                 topology.device(device).reserved);
}

}  // namespace pipegraph
