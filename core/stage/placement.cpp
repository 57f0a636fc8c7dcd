#include "core/stage/placement.h"

#include <fmt/format.h>

#include "core/stage/stage_checks.h"

namespace pipegraph {

void check_placement(const StageGraph& stages, const Topology& topology) {
  for (std::size_t s = 0; s < stages.size(); ++s) {
    const Stage& stage = stages.stages()[s];
    for (const DeviceId device : stage.devices)
      if (device.index() >= topology.size())
        throw ConfigError(
            stage.position,
            fmt::format("{} is on device {}, but cluster '{}' has {} devices",
                        stage_label(stages.stages(), make_id<StageId>(s)), device.value,
                        topology.name(), topology.size()),
            fmt::format("devices from 0 to {}", static_cast<std::int64_t>(topology.size()) - 1));
  }
}

}  // namespace pipegraph
