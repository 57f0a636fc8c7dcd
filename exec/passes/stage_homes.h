// Where the tensors of a stage's own operators lie relative to the blocks that the memory function
// counts for one forward: what is kept, side by side, and the workspace of what is recomputed.
#pragma once

#include <optional>
#include <unordered_map>
#include <vector>

#include "exec/passes/pass_tables.h"

namespace pipegraph {

/// A tensor within a block of n samples begins n x `before` bytes into it.
enum class Block : std::uint8_t {
  Kept,       ///< from the forward to the last backward
  Workspace,  ///< of the pass that runs the operator
  Apart,      ///< has a lifetime of its own because stages on the device read it
};
struct Home {
  Block block = Block::Kept;
  Bytes before;
};

class StageHomes {
 public:
  /// Of `stage` on `device`, one of its replicas.
  StageHomes(const PassTables& tables, StageId stage, DeviceId device);

  /// Of an own operator's output. What is read on the device and not kept lies Apart in the forward
  /// and in the Workspace when it is recomputed.
  Home output(OperatorId op) const { return outputs_.at(op); }
  Home recomputed_output(OperatorId op) const { return recomputed_.at(op); }
  /// Of what an operator keeps besides its inputs and output.
  Home internal(OperatorId op) const { return internals_.at(op); }
  /// Of the gradient of an operator with parameters that the stage itself reads: in the workspace
  /// of the first part of a split backward, behind the tensors.
  Home inner_gradient(OperatorId op) const { return inner_gradients_.at(op); }
  /// Tensors that other stages of the device read from this one, ascending: own ones and relayed.
  const std::vector<OperatorId>& read_here() const { return read_here_; }

 private:
  void find_read_here(const PassTables& tables, StageId stage, DeviceId device);
  bool is_read_here(OperatorId tensor) const;

  void place_inner_gradients(const PassTables& tables, StageId stage);

  std::unordered_map<OperatorId, Home> outputs_, recomputed_, internals_, inner_gradients_;
  std::vector<OperatorId> read_here_;
};

}  // namespace pipegraph
