// What the passes of all devices are compiled from; built once, read by every device's thread.
#pragma once

#include <vector>

#include "core/program/memory_model.h"
#include "core/program/task_index.h"
#include "exec/operators/operator_shape.h"
#include "exec/passes/reduction_table.h"

namespace pipegraph {

class PassTables {
 public:
  /// All must outlive this. The graph has passed check_executable.
  PassTables(const Workload& workload, const StageGraph& stages, const Program& program);

  const MemoryModel& model() const { return model_; }
  const TaskIndex& tasks() const { return tasks_; }
  const ReductionTable& reductions() const { return reductions_; }
  const ComputationGraph& graph() const { return *model_.workload.graph; }
  const Program& program() const { return model_.program; }
  /// Of a number in activations and messages; gradients and what optimizers work on have 4 bytes.
  Bytes element() const { return element_size(model_.workload.training.precision); }
  /// Of the parameters that an operator owns, as they are trained.
  Bytes parameter_bytes(OperatorId owner) const {
    return Bytes{graph().at(owner).parameters.count / element().count * sizeof(float)};
  }
  std::int32_t mini_batch() const { return model_.workload.training.mini_batch; }

  const OperatorShape& shape(OperatorId op) const { return shapes_[op.index()]; }
  /// Of the operator's output.
  Bytes bytes(OperatorId tensor, std::int32_t samples) const {
    return graph().at(tensor).output * static_cast<std::uint64_t>(samples);
  }
  /// Operators of a stage in the order in which a forward runs them.
  const std::vector<OperatorId>& order(StageId stage) const { return orders_[stage.index()]; }
  /// Tensors of other stages that the stage's operators read, ascending.
  const std::vector<OperatorId>& read_from_outside(StageId stage) const {
    return outside_[stage.index()];
  }
  /// Operators that read the tensor, ascending.
  const std::vector<OperatorId>& consumers(OperatorId tensor) const {
    return consumers_[tensor.index()];
  }
  bool is_recomputed(OperatorId op) const { return recomputed_[op.index()] != 0; }
  /// Whether a gradient reaches the operator's output: a path of gradients leads from a loss to it.
  bool has_gradient(OperatorId op) const { return has_gradient_[op.index()] != 0; }
  /// Whether the backward has anything to do for the operator.
  bool runs_backward(OperatorId op) const;

  /// The forward of the pass's stage, samples and replica (of a forward itself).
  InstructionId forward_of(InstructionId pass) const;
  /// The Backward or BackwardInput, and the Backward or BackwardWeight, of the same.
  InstructionId gradient_of(InstructionId pass) const;
  InstructionId weight_of(InstructionId pass) const;

 private:
  void find_gradients();

  MemoryModel model_;
  TaskIndex tasks_;
  ReductionTable reductions_;
  std::vector<OperatorShape> shapes_;
  std::vector<std::vector<OperatorId>> orders_, outside_, consumers_;
  std::vector<char> recomputed_, has_gradient_;
};

}  // namespace pipegraph
