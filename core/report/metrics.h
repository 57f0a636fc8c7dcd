// The key figures of one run of one plan. docs/metrics.md has the formula and unit of each.
#pragma once

#include <cstdint>
#include <vector>

#include "core/report/device_times.h"
#include "core/run/timeline.h"

namespace pipegraph {

struct Metrics {
  Seconds iteration_time{0};  ///< the makespan
  double throughput_samples_per_s = 0.0;
  double bubble_fraction = 0.0;
  double bubble_overhead = 0.0;
  std::vector<DeviceTimes> devices;
};

/// Over `devices`, those the plan uses. Ratios of nothing by nothing are 0; something by nothing is
/// infinite.
Metrics compute_metrics(const ProgramIndex& index, const Timeline& timeline,
                        const std::vector<DeviceId>& devices, std::int32_t mini_batch);

}  // namespace pipegraph
