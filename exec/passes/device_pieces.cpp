#include "exec/passes/device_pieces.h"

namespace pipegraph {

DevicePieces::DevicePieces(const DevicePasses& passes, const AreaBases& bases)
    : passes_(passes), bases_(bases) {
  const auto instructions = passes.tables().model().order.on(passes.device());
  message_ranges_.resize(instructions.size());
  sum_of_.assign(instructions.size(), -1);
  for (const InstructionId id : instructions) {
    const InstructionKind kind = passes.tables().program().at(id).kind;
    if (kind == InstructionKind::AllReduce) list_sum(id);
    if (is_transfer(kind)) list_message(id);
  }
}

std::vector<Piece> DevicePieces::pieces_of(std::span<const Stretch> stretches) const {
  std::vector<Piece> pieces;
  for (const Stretch& stretch : stretches)
    pieces.push_back({address(bases_, stretch.begin), stretch.bytes});
  return pieces;
}

void DevicePieces::list_message(InstructionId half) {
  StepRange& range = message_ranges_[place_of(half)];
  range.begin = static_cast<std::uint32_t>(message_pieces_.size());
  const std::vector<Piece> pieces = pieces_of(passes_.message(half));
  message_pieces_.insert(message_pieces_.end(), pieces.begin(), pieces.end());
  range.end = static_cast<std::uint32_t>(message_pieces_.size());
}

void DevicePieces::list_sum(InstructionId all_reduce) {
  const PlacedSum placed = passes_.parameters().sum(all_reduce);
  sum_of_[place_of(all_reduce)] = static_cast<std::int32_t>(sums_.size());
  Sum& sum = sums_.emplace_back();
  sum.sum = pieces_of(placed.sum);
  for (const PlacedAddend& addend : placed.addends) {
    sum.of_addends.push_back(pieces_of(addend.stretches));
    sum.addends.push_back({addend.use, addend.device, sum.of_addends.back()});
  }
}

std::span<const Piece> DevicePieces::message(InstructionId half) const {
  const StepRange range = message_ranges_[place_of(half)];
  return std::span(message_pieces_).subspan(range.begin, range.end - range.begin);
}

GradientSum DevicePieces::sum(InstructionId all_reduce) const {
  const Sum& sum = sums_[static_cast<std::size_t>(sum_of_[place_of(all_reduce)])];
  return {sum.addends, sum.sum};
}

}  // namespace pipegraph
