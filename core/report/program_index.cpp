#include "core/report/program_index.h"

#include "core/run/lane_order.h"

namespace pipegraph {

ProgramIndex::ProgramIndex(const Program& program)
    : program_(program), matching_(program), lane_before_(program.size()) {
  sort_by_device();
  LaneOrder lanes(program);
  for (std::size_t i = 0; i < program.size(); ++i)
    lane_before_[i] = lanes.append(make_id<InstructionId>(i));
}

std::span<const InstructionId> ProgramIndex::of_device(DeviceId device) const {
  const std::uint32_t begin = device_begin_[device.index()];
  return std::span(by_device_).subspan(begin, device_begin_[device.index() + 1] - begin);
}

InstructionId ProgramIndex::other_half(InstructionId id) const {
  return is_transfer(program_.at(id).kind) ? matching_.partner(id) : InstructionId{};
}

std::span<const InstructionId> ProgramIndex::members(InstructionId id) const {
  if (program_.at(id).kind != InstructionKind::AllReduce) return {};
  return matching_.members(matching_.collective(id));
}

void ProgramIndex::sort_by_device() {
  device_begin_.assign(program_.device_count() + 1, 0);
  for (const Instruction& instruction : program_.instructions())
    ++device_begin_[instruction.device.index() + 1];
  for (std::size_t i = 1; i < device_begin_.size(); ++i) device_begin_[i] += device_begin_[i - 1];
  std::vector<std::uint32_t> next(device_begin_.begin(), device_begin_.end() - 1);
  by_device_.resize(program_.size());
  for (std::size_t i = 0; i < program_.size(); ++i)
    by_device_[next[program_.instructions()[i].device.index()]++] = make_id<InstructionId>(i);
}

}  // namespace pipegraph
