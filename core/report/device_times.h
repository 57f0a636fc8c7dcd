// How each device spends the makespan: computing, communicating while it does not compute, idle.
#pragma once

#include <vector>

#include "core/base/ids.h"
#include "core/report/program_index.h"
#include "core/run/timeline.h"

namespace pipegraph {

/// compute + exposed_communication + idle = makespan.
struct DeviceTimes {
  DeviceId device;
  Seconds compute{0};                ///< passes and optimizer
  Seconds exposed_communication{0};  ///< a transfer or collective moves, nothing computes
  Seconds idle{0};                   ///< neither
};

/// Of `devices`, in their order.
std::vector<DeviceTimes> device_times(const ProgramIndex& index, const Timeline& timeline,
                                      const std::vector<DeviceId>& devices);

}  // namespace pipegraph
