// The second pass of the lowering: one all-reduce per stage with several replicas, and one per
// parameter that several stages share, as soon as its last contribution is in the sequence.
#pragma once

#include <vector>

#include "core/program/hand_overs.h"
#include "core/program/program.h"
#include "core/program/reductions.h"
#include "core/schedule/schedule.h"
#include "core/stage/workload.h"

namespace pipegraph {

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

  /// What the step of these parameters waits for: their reductions, or the stage's last backward
  /// there if nothing is reduced.
  std::vector<InstructionId> gradients_ready(const DeviceParameters& parameters) const;

 private:
  struct Member {
    OperatorId owner;  ///< of the shared parameters; -1: the stage's own
    InstructionId all_reduce;
  };
  struct StageState {
    std::size_t backwards_left = 0;
    std::vector<InstructionId> last_backward;  ///< by replica
    std::vector<std::vector<Member>> members;  ///< by replica
    std::vector<std::size_t> reductions;       ///< that it contributes to
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
