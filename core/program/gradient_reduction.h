// The second pass of the lowering: one all-reduce per stage with several replicas, and one per
// parameter that several stages share, as soon as its last contribution is in the sequence.
#pragma once

#include <vector>

#include "core/program/program.h"
#include "core/program/routes.h"
#include "core/schedule/schedule.h"
#include "core/stage/stage_graph.h"
#include "core/stage/workload.h"

namespace pipegraph {

/// Gradients that several devices add up once per mini-batch.
struct Reduction {
  StageId stage;                  ///< -1: parameters that several stages share
  OperatorId owner;               ///< of the shared parameters; -1: all the stage's own
  Bytes bytes;                    ///< of the vector
  std::vector<DeviceId> devices;  ///< two or more; replicas in order, stages in order
  std::vector<StageId> stages;    ///< whose backwards contribute
};

/// All of a plan: stages first, then shared parameters by owner. Parameters whose uses all stand on
/// one device, or are nothing, are not among them.
std::vector<Reduction> reductions(const ComputationGraph& graph, const StageGraph& stages);

class GradientReduction {
 public:
  /// `lanes` and `builder` must outlive this.
  GradientReduction(const Workload& workload, const StageGraph& stages, const LaneChooser& lanes,
                    ProgramBuilder& builder);

  /// Instructions this pass will add.
  std::size_t instructions() const;
  /// How many backwards of each stage there will be; before the first `passed`.
  void count(const std::vector<DeviceTask>& sequence);
  /// `task` has become `pass`; adds what is complete with it.
  void passed(const DeviceTask& task, InstructionId pass);

  /// What the optimizer step of a stage on its replica waits for: its reductions, the last backward
  /// where there is none.
  std::vector<InstructionId> gradients_ready(StageId stage, std::int32_t replica) const;

 private:
  struct StageState {
    std::size_t backwards_left = 0;
    std::vector<InstructionId> last_backward;                ///< by replica
    std::vector<std::vector<InstructionId>> own_reductions;  ///< by replica
    std::vector<std::size_t> reductions;                     ///< that it contributes to
  };
  void add(const Reduction& reduction);
  void add_member(const Reduction& reduction, GroupId group, DeviceId device);

  const StageGraph& stages_;
  const LaneChooser& lanes_;
  ProgramBuilder& builder_;
  std::uint8_t element_bytes_;
  std::vector<Reduction> reductions_;
  std::vector<StageState> states_;
};

}  // namespace pipegraph
