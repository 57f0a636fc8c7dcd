#include "core/report/busiest_device.h"

#include <algorithm>
#include <vector>

#include "core/run/route_costs.h"

namespace pipegraph {

Seconds busiest_device(const Program& program, const Topology& topology, std::int32_t mini_batch) {
  std::vector<Seconds> busy(program.device_count());
  RouteCosts routes(topology);
  for (const Instruction& instruction : program.instructions()) {
    Seconds& device = busy[instruction.device.index()];
    if (is_pass(instruction.kind)) {
      device += instruction.duration;
    } else if (instruction.kind == InstructionKind::Send) {
      const Seconds time =
          routes.between(instruction.device, instruction.peer).time(instruction.bytes.as_double());
      device += time;
      busy[instruction.peer.index()] += time;
    }
  }
  return busy.empty() ? Seconds{0} : *std::ranges::max_element(busy) / mini_batch;
}

}  // namespace pipegraph
