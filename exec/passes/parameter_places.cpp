#include "exec/passes/parameter_places.h"

#include <algorithm>

#include "core/base/errors.h"

namespace pipegraph {

namespace {

void append(std::vector<Stretch>& stretches, Stretch next) {
  if (!stretches.empty() && stretches.back().begin + stretches.back().bytes == next.begin)
    stretches.back().bytes += next.bytes;
  else
    stretches.push_back(next);
}

}  // namespace

ParameterPlaces::ParameterPlaces(const PassTables& tables, DeviceId device)
    : tables_(tables), device_(device) {
  for (const DeviceParameters& own : device_parameters(tables.graph(), tables.model().stages)) {
    if (own.device != device) continue;
    for (const OperatorId owner : own.owners) {
      index_[owner] = stored_.size();
      const Bytes bytes = tables.parameter_bytes(owner);
      stored_.push_back({owner, bytes_, bytes, own.replica, own.stage});
      bytes_ += bytes;
    }
  }
  std::map<OperatorId, std::vector<OperatorId>> uses;
  for (const Resident& resident : tables.model().residents[device.index()])
    for (const OperatorId op : tables.model().stages.at(resident.stage).operators)
      if (tables.graph().at(op).parameters.count > 0)
        uses[tables.graph().parameter_owner(op)].push_back(op);
  Bytes largest;
  for (auto& [owner, operators] : uses) {
    std::sort(operators.begin(), operators.end());
    place_uses(owner, operators);
    largest = std::max(largest, at(owner).bytes);
  }
  if (accumulators_.count == 0) return;  // no owner has two uses here, so no vector has gaps
  zeros_ = {Area::Accumulators, accumulators_};
  accumulators_ += largest;
}

void ParameterPlaces::place_uses(OperatorId owner, const std::vector<OperatorId>& uses) {
  const StoredOwner& stored = at(owner);
  gradients_[uses.front()] = {Area::Gradients, stored.begin};
  for (std::size_t u = 1; u < uses.size(); ++u) {
    gradients_[uses[u]] = {Area::Accumulators, accumulators_};
    accumulators_ += stored.bytes;
  }
  if (uses.size() > 1 && !tables_.reductions().reduces(owner)) fold_uses(stored, uses);
}

void ParameterPlaces::fold_uses(const StoredOwner& stored, const std::vector<OperatorId>& uses) {
  const InstructionId last = last_contribution(uses);
  for (std::size_t u = 1; u < uses.size(); ++u)
    folds_.emplace(last, Fold{gradients_.at(uses[u]), gradients_.at(uses[0]), stored.bytes});
}

InstructionId ParameterPlaces::last_contribution(const std::vector<OperatorId>& uses) const {
  InstructionId last;
  for (const OperatorId op : uses) {
    const StageId stage = tables_.model().stages.stage_of(op);
    const std::int32_t replica = tables_.model().replica_on(device_, stage);
    last = std::max(last, tables_.tasks().last_contribution(stage, replica));
  }
  return last;
}

Place ParameterPlaces::parameters(OperatorId op) const {
  return {Area::Parameters, at(tables_.graph().parameter_owner(op)).begin};
}

Stretch ParameterPlaces::updated_by(StageId stage) const {
  Stretch range;
  for (const StoredOwner& owner : stored_) {
    if (owner.stage != stage) continue;
    if (!range.begin.valid()) range.begin = {Area::Parameters, owner.begin};
    range.bytes += owner.bytes;
  }
  return range;
}

std::vector<ParameterPlaces::Fold> ParameterPlaces::folds_after(InstructionId pass) const {
  std::vector<Fold> folds;
  const auto [begin, end] = folds_.equal_range(pass);
  for (auto fold = begin; fold != end; ++fold) folds.push_back(fold->second);
  return folds;
}

PlacedSum ParameterPlaces::sum(InstructionId all_reduce) const {
  const ReducedGradients& gradients = tables_.reductions().of(all_reduce);
  PlacedSum result;
  for (const OperatorId owner : gradients.owners)
    append(result.sum, {{Area::Gradients, at(owner).begin}, at(owner).bytes});
  for (std::size_t u = 0; u < gradients.uses.size(); ++u) {
    const ReducedUse& use = gradients.uses[u];
    for (const DeviceId device : replica_devices(tables_.model().stages.at(use.stage))) {
      PlacedAddend& addend = result.addends.emplace_back();
      addend.use = static_cast<std::int32_t>(u);
      addend.device = device;
      if (device != device_) continue;
      for (std::size_t o = 0; o < use.operators.size(); ++o)
        append(addend.stretches, {use.operators[o].valid() ? gradient(use.operators[o]) : zeros_,
                                  at(gradients.owners[o]).bytes});
    }
  }
  return result;
}

}  // namespace pipegraph
