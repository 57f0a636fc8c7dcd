#include "exec/emulated/modelled_durations.h"

#include "core/base/errors.h"

namespace pipegraph {

ModelledDurations::ModelledDurations(const Program& program, const Topology& topology,
                                     const CollectiveOptions& collectives)
    : program_(program), routes_(topology) {
  check(program.device_count() <= topology.size(), "the topology has the program's devices");
  CollectiveSchedules schedules(program, topology, collectives);
  for (const Instruction& instruction : program.instructions())
    if (instruction.kind == InstructionKind::AllReduce)
      collectives_.try_emplace({instruction.group, instruction.bytes},
                               schedules.of(instruction).time);
}

Seconds ModelledDurations::of(InstructionId id) {
  const Instruction& instruction = program_.at(id);
  switch (instruction.kind) {
    case InstructionKind::Send:
      return routes_.between(instruction.device, instruction.peer)
          .time(instruction.bytes.as_double());
    case InstructionKind::Recv:
      return routes_.between(instruction.peer, instruction.device)
          .time(instruction.bytes.as_double());
    case InstructionKind::AllReduce:
      if (instruction.duration > Seconds{0}) return instruction.duration;
      return collectives_.at({instruction.group, instruction.bytes});
    default:
      return instruction.duration;
  }
}

}  // namespace pipegraph
