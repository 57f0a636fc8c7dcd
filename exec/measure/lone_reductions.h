// What the all-reduces of a plan take by themselves: one after the other, all their members at once
// and nothing else to do. In a step they are interleaved with computes of their devices, whose time
// would be counted as theirs.
#pragma once

#include <memory>
#include <vector>

#include "core/run/counterparts.h"
#include "exec/all_reduce.h"
#include "exec/measure/plan_profile.h"
#include "exec/state/run_state.h"

namespace pipegraph {

class LoneReductions {
 public:
  /// What the executor was made of; all must outlive this.
  struct Parts {
    const Program& program;
    const Channels& channels;
    const RunState& state;
    Transport& transport;
  };
  LoneReductions(Executor& executor, const Parts& parts);
  ~LoneReductions();

  /// Whether the program has any.
  bool any() const { return counterparts_.collectives() > 0; }
  /// The durations of one round over all of them: from when the last member was there until the
  /// last was done, for each member. What lies in memory is added up, so results are of no use.
  /// Outside of a step, all devices in this process. Errors: as Executor::on_each_device.
  Durations run();

 private:
  struct Times {
    std::vector<Seconds> start, end;  ///< by instruction
  };
  void run_on(DeviceId device, Engine& engine, Times& times);
  Seconds carry_out(AllReducer& reducer, InstructionId member);

  Executor& executor_;
  Parts parts_;
  Counterparts counterparts_;
  SteadyTime epoch_;
  std::vector<std::unique_ptr<AllReducer>> reducers_;  ///< by device; they keep memory of engines
};

}  // namespace pipegraph
