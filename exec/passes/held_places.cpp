#include "exec/passes/held_places.h"

#include <algorithm>
#include <vector>

#include "exec/memory/packing.h"

namespace pipegraph {

HeldPlaces::HeldPlaces(const PassTables& tables, const TensorPlaces& tensors)
    : tables_(tables), tensors_(tensors) {
  std::vector<Sums> all;
  std::vector<TimedBlock> blocks;
  const CausalOrder& order = tables.model().order;
  for (const InstructionId id : tensors.instructions()) {
    if (tables.program().at(id).kind != InstructionKind::BackwardInput) continue;
    all.push_back(sums_of(id));
    blocks.push_back(
        {order.earliest_start(id), order.latest_end(tables.weight_of(id)), all.back().bytes});
  }
  const Packing packing = pack(blocks);
  bytes_ = packing.bytes;
  for (std::size_t n = 0; n < all.size(); ++n) {
    Place at{Area::Held, packing.offsets[n]};
    for (const OperatorId tensor : all[n].tensors) {
      sums_[{all[n].pass, tensor}] = at;
      at = at + tables.bytes(tensor, tables.program().at(all[n].pass).samples.samples());
    }
  }
}

bool HeldPlaces::read_inside(OperatorId op) const {
  const std::vector<OperatorId>& readers = tables_.consumers(op);
  const StageGraph& stages = tables_.model().stages;
  return std::any_of(readers.begin(), readers.end(), [&](OperatorId reader) {
    return stages.stage_of(reader) == stages.stage_of(op);
  });
}

HeldPlaces::Sums HeldPlaces::sums_of(InstructionId pass) const {
  Sums sums{pass, {}, {}};
  const Instruction& instruction = tables_.program().at(pass);
  for (const OperatorId op : tables_.order(instruction.stage)) {
    const bool needed = tables_.graph().at(op).parameters.count > 0 && tables_.runs_backward(op);
    if (!needed || read_inside(op)) continue;
    const std::vector<Contribution> from_outside = tensors_.contributions(pass, op);
    if (from_outside.size() == 1 && from_outside.front().segments.size() == 1) continue;
    sums.tensors.push_back(op);
    sums.bytes += tables_.bytes(op, instruction.samples.samples());
  }
  return sums;
}

Place HeldPlaces::of(InstructionId pass, OperatorId op) const {
  const InstructionId first = tables_.gradient_of(pass);
  if (tables_.program().at(first).kind != InstructionKind::BackwardInput) return {};
  if (tables_.graph().at(op).parameters.count == 0 || !tables_.runs_backward(op)) return {};
  if (read_inside(op)) return tensors_.inner_gradient(first, op);
  const auto found = sums_.find({first, op});
  return found == sums_.end() ? Place() : found->second;
}

}  // namespace pipegraph
