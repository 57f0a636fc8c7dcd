// All samples that the passes of a device read in one step, each in pinned memory of its own, so
// that work which was put in order beforehand finds those of the present step.
#pragma once

#include <vector>

#include "exec/cuda/handles.h"
#include "exec/passes/step_work.h"

namespace pipegraph {

class StepSamples {
 public:
  /// `passes` outlives this. Errors: CudaError.
  explicit StepSamples(const DevicePasses& passes);

  /// Reads what belongs to `order`. Nothing on the GPU reads the samples before any more.
  void fill(const StepOrder& order);
  /// Where the next read of the step lies; they come in the order of the passes. Begins again after
  /// the last.
  const std::byte* next();

 private:
  struct Read {
    const ReadStep* step;
    std::size_t offset;
  };
  std::vector<Read> reads_;
  std::size_t next_ = 0;
  PinnedMemory memory_;
};

}  // namespace pipegraph
