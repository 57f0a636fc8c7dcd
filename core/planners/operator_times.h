// What operators and stages cost before anything is placed: on the slowest kind of device there is.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "core/stage/stage_graph.h"
#include "core/stage/workload.h"

namespace pipegraph {

/// What computes differently, in the order of the devices.
std::vector<ComputeRate> kinds_of_devices(const Workload& workload);

/// Seconds of forward and backward on `samples` samples, by operator: the largest over the
/// cluster's kinds of devices.
std::vector<double> operator_times(const Workload& workload, std::int64_t samples);

/// Sum over some operators, in their order.
double sum_over(std::span<const OperatorId> operators, std::span<const double> times);

}  // namespace pipegraph
