// Where a device keeps the gradients that the second part of a split backward needs from the first:
// those of the outputs of operators with parameters. What the stage itself reads lies in the first
// part's workspace, as the memory function counts it; sums of what came from outside in several
// pieces, which it does not count, lie in an area of their own.
#pragma once

#include <map>
#include <unordered_map>

#include "exec/passes/tensor_places.h"

namespace pipegraph {

class HeldPlaces {
 public:
  /// Both must outlive this.
  HeldPlaces(const PassTables& tables, const TensorPlaces& tensors);

  /// Of the gradient of `op`'s output; invalid unless `pass` is a part of a split backward, the
  /// second part needs it, and it has no place already.
  Place of(InstructionId pass, OperatorId op) const;
  /// Of Area::Held.
  Bytes bytes() const { return bytes_; }

 private:
  struct Sums {
    InstructionId pass;  ///< BackwardInput
    std::vector<OperatorId> tensors;
    Bytes bytes;
  };
  bool read_inside(OperatorId op) const;
  Sums sums_of(InstructionId pass) const;

  const PassTables& tables_;
  const TensorPlaces& tensors_;
  std::map<std::pair<InstructionId, OperatorId>, Place> sums_;
  Bytes bytes_;
};

}  // namespace pipegraph
