// Which gradients each all-reduce of a program adds up, and in which order: uses of a parameter in
// operator order, replicas of a use in index order.
#pragma once

#include <vector>

#include "core/program/program.h"
#include "core/program/reductions.h"

namespace pipegraph {

/// The gradients of one use of every reduced parameter on every replica of the using stage.
struct ReducedUse {
  StageId stage;
  /// By owner of ReducedGradients: the operator; -1 where the owner has no such use.
  std::vector<OperatorId> operators;
};

struct ReducedGradients {
  std::vector<OperatorId> owners;  ///< ascending
  std::vector<ReducedUse> uses;    ///< in the order of addition
};

class ReductionTable {
 public:
  ReductionTable(const Workload& workload, const StageGraph& stages, const Program& program);

  const ReducedGradients& of(InstructionId all_reduce) const;
  /// Whether the gradients of the owner's uses are added up by an all-reduce.
  bool reduces(OperatorId owner) const { return reduced_[owner.index()] != 0; }

 private:
  void find_gradients(const ComputationGraph& graph, const StageGraph& stages,
                      const Reduction& reduction);
  void assign(const Program& program);

  std::vector<Reduction> reductions_;
  std::vector<ReducedGradients> gradients_;  ///< by reduction
  std::vector<std::int32_t> reduction_of_;   ///< by instruction; -1: none
  std::vector<char> reduced_;                ///< by owner
};

}  // namespace pipegraph
