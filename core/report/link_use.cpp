#include "core/report/link_use.h"

#include <algorithm>

#include "core/run/link_bytes.h"

namespace pipegraph {

std::vector<LinkUse> link_use(const Program& program, const Topology& topology, Seconds makespan,
                              const CollectiveOptions& collectives) {
  const std::vector<double> bytes = link_bytes(program, topology, collectives);
  std::vector<LinkUse> used;
  for (std::size_t i = 0; i < bytes.size(); ++i) {
    if (bytes[i] <= 0.0) continue;
    const double capacity = topology.links()[i].bandwidth.value * makespan.count();
    used.push_back({make_id<LinkId>(i), bytes[i], capacity > 0.0 ? bytes[i] / capacity : 0.0});
  }
  return used;
}

bool moves_nothing(const Program& program) {
  return std::ranges::all_of(program.instructions(), [&](const Instruction& instruction) {
    if (instruction.kind == InstructionKind::AllReduce)
      return program.groups()[instruction.group.index()].devices.size() < 2;
    return is_compute(instruction.kind);
  });
}

}  // namespace pipegraph
