#include "tests/support/program_sketch.h"

#include <utility>

namespace pipegraph::test {
namespace {

std::vector<std::string> one_stage() { return {"stage"}; }

Group group_of(const std::vector<int>& devices) {
  Group group;
  for (int device : devices) group.devices.push_back(DeviceId{device});
  return group;
}

Instruction half(InstructionKind kind, int device, int peer, std::uint64_t bytes) {
  Instruction instruction;
  instruction.kind = kind;
  instruction.device = DeviceId{device};
  instruction.peer = DeviceId{peer};
  instruction.stage = StageId{0};
  instruction.samples = {0, 1};
  instruction.bytes = Bytes{bytes};
  return instruction;
}

}  // namespace

ProgramSketch::ProgramSketch(int devices, SketchLanes lanes)
    : builder_(static_cast<std::size_t>(devices), one_stage()), lanes_(lanes) {}

LaneId ProgramSketch::lane(Lane wanted) {
  if (lanes_ == SketchLanes::Single) wanted = {wanted.device, LaneKind::Compute, {}, {}};
  return builder_.lane(wanted);
}

InstructionId ProgramSketch::compute(int device, double seconds, const Waits& waits,
                                     InstructionKind kind) {
  Instruction instruction;
  instruction.kind = kind;
  instruction.device = DeviceId{device};
  instruction.lane = lane({DeviceId{device}, LaneKind::Compute, {}, {}});
  instruction.stage = StageId{0};
  instruction.samples = {0, 1};
  instruction.duration = Seconds{seconds};
  return builder_.add(instruction, waits);
}

SketchedTransfer ProgramSketch::transfer(Ends ends, std::uint64_t bytes, const Waits& before_send,
                                         const Waits& before_recv) {
  const InstructionId sent = send(ends, bytes, before_send);
  return {sent, recv(ends, bytes, before_recv)};
}

InstructionId ProgramSketch::send(Ends ends, std::uint64_t bytes, const Waits& waits) {
  Instruction instruction = half(InstructionKind::Send, ends.from, ends.to, bytes);
  instruction.lane = lane({DeviceId{ends.from}, LaneKind::Send, DeviceId{ends.to}, {}});
  return builder_.add(instruction, waits);
}

InstructionId ProgramSketch::recv(Ends ends, std::uint64_t bytes, const Waits& waits) {
  Instruction instruction = half(InstructionKind::Recv, ends.to, ends.from, bytes);
  instruction.lane = lane({DeviceId{ends.to}, LaneKind::Recv, DeviceId{ends.from}, {}});
  return builder_.add(instruction, waits);
}

std::vector<InstructionId> ProgramSketch::all_reduce(const std::vector<int>& devices,
                                                     std::uint64_t bytes,
                                                     const std::vector<Waits>& waits) {
  std::vector<InstructionId> members;
  for (std::size_t i = 0; i < devices.size(); ++i)
    members.push_back(arrive(devices, devices[i], bytes, i < waits.size() ? waits[i] : Waits{}));
  return members;
}

InstructionId ProgramSketch::arrive(const std::vector<int>& devices, int member,
                                    std::uint64_t bytes, const Waits& waits) {
  Instruction instruction;
  instruction.kind = InstructionKind::AllReduce;
  instruction.device = DeviceId{member};
  instruction.stage = StageId{0};
  instruction.group = builder_.group(group_of(devices));
  instruction.lane = lane({DeviceId{member}, LaneKind::Collective, {}, instruction.group});
  instruction.bytes = Bytes{bytes};
  return builder_.add(instruction, waits);
}

}  // namespace pipegraph::test
