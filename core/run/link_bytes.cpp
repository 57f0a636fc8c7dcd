#include "core/run/link_bytes.h"

#include "core/run/route_costs.h"

namespace pipegraph {

std::vector<double> link_bytes(const Program& program, const Topology& topology,
                               const CollectiveOptions& options) {
  std::vector<double> bytes(topology.links().size(), 0.0);
  RouteCosts routes(topology);
  CollectiveSchedules collectives(program, topology, options);
  const auto carry = [&](DeviceId from, DeviceId to, double amount) {
    for (LinkId link : routes.between(from, to).route.links) bytes[link.index()] += amount;
  };
  for (const Instruction& instruction : program.instructions()) {
    if (instruction.kind == InstructionKind::Send)
      carry(instruction.device, instruction.peer, instruction.bytes.as_double());
    if (instruction.kind != InstructionKind::AllReduce) continue;
    const auto& devices = program.groups()[instruction.group.index()].devices;
    if (instruction.device != devices.front()) continue;
    for (const CollectiveStep& step : collectives.of(instruction).list.steps)
      carry(devices[static_cast<std::size_t>(step.from)],
            devices[static_cast<std::size_t>(step.to)], step.bytes);
  }
  return bytes;
}

}  // namespace pipegraph
