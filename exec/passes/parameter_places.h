// Where one device stores parameters, their gradients and the optimizer's state: stage after stage,
// owner after owner, each once however many operators use it.
#pragma once

#include <map>
#include <unordered_map>
#include <vector>

#include "core/program/reductions.h"
#include "exec/passes/pass_tables.h"
#include "exec/passes/place.h"

namespace pipegraph {

/// The parameters that one operator owns.
struct StoredOwner {
  OperatorId owner;
  Bytes begin;  ///< into the areas of parameters, gradients, and each copy of the state
  Bytes bytes;
  std::int32_t replica = 0;  ///< of the stage that updates it
  StageId stage;
};

/// One addend of an all-reduce as this device sees it.
struct PlacedAddend {
  std::int32_t use = 0;
  DeviceId device;
  std::vector<Stretch> stretches;  ///< empty on other devices
};
struct PlacedSum {
  std::vector<PlacedAddend> addends;
  std::vector<Stretch> sum;
};

class ParameterPlaces {
 public:
  ParameterPlaces(const PassTables& tables, DeviceId device);

  const std::vector<StoredOwner>& stored() const { return stored_; }
  Bytes bytes() const { return bytes_; }
  /// Of the gradients of further uses, and of zeros that stand for uses there are not.
  Bytes accumulator_bytes() const { return accumulators_; }

  /// Of the operator's owner.
  Place parameters(OperatorId op) const;
  /// Where the operator's own contributions are added up: the owner's gradient for the first use on
  /// the device, else an accumulator.
  Place gradient(OperatorId op) const { return gradients_.at(op); }
  /// What the optimizer step of a stage updates; empty if it stores nothing here.
  Stretch updated_by(StageId stage) const;

  /// Additions that make a gradient whole once `pass` has ended: of parameters that several
  /// operators of the device use and no all-reduce adds up, in operator order.
  struct Fold {
    Place from, to;
    Bytes bytes;
  };
  std::vector<Fold> folds_after(InstructionId pass) const;

  PlacedSum sum(InstructionId all_reduce) const;

 private:
  void place_uses(OperatorId owner, const std::vector<OperatorId>& uses);
  void fold_uses(const StoredOwner& stored, const std::vector<OperatorId>& uses);
  InstructionId last_contribution(const std::vector<OperatorId>& uses) const;
  const StoredOwner& at(OperatorId owner) const { return stored_[index_.at(owner)]; }

  const PassTables& tables_;
  DeviceId device_;
  std::vector<StoredOwner> stored_;
  std::unordered_map<OperatorId, std::size_t> index_;  ///< by owner, into stored_
  std::unordered_map<OperatorId, Place> gradients_;    ///< by using operator
  std::multimap<InstructionId, Fold> folds_;
  Bytes bytes_, accumulators_;
  Place zeros_;
};

}  // namespace pipegraph
