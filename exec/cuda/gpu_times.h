// Where times of single instructions come from in traced steps on GPUs: records of CUPTI, which say
// when kernels and copies ran, or pairs of timed events around them.
#pragma once

#include <memory>
#include <string>

#include "core/program/program.h"
#include "exec/cuda/gpu_options.h"
#include "exec/cuda/work_marks.h"
#include "exec/step_times.h"
#include "exec/transport/ranks.h"

namespace pipegraph {

class GpuTimes : public StepTimes {
 public:
  /// What a device tells of its work; null: there is no need to.
  virtual WorkMarks* marks() = 0;
  /// "CUPTI activity" or "events (REASON)", and what went wrong.
  virtual std::string source() const = 0;
  /// How wrong the times of steps so far may lie on the host's clock, if they come from another.
  virtual Seconds clock_bound() const { return Seconds{0}; }
};

/// All ranks make theirs together: events serve all if CUPTI cannot serve one. `program` outlives
/// it. Errors: MachineError if CUPTI is demanded and cannot be had.
std::unique_ptr<GpuTimes> make_gpu_times(const Program& program, GpuTimeSource wanted,
                                         Ranks& ranks);

}  // namespace pipegraph
