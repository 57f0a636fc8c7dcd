// An optimizer step whose factors lie in memory: work that was put in order beforehand finds those
// of the present step there.
#pragma once

#include "exec/cuda/cuda_device.h"

namespace pipegraph {

/// Of one optimizer step; k_optimizer_slot each.
struct OptimizerSlot {
  std::byte* host = nullptr;  ///< pinned
  std::byte* gpu = nullptr;
};
inline constexpr Bytes k_optimizer_slot{256};

/// What one optimizer step works with.
struct OptimizerWork {
  Optimizer optimizer = Optimizer::None;
  const StepOrder& order;
  OptimizedTensors<float> tensors;
};

/// Writes the factors of the step to the host's side.
void fill_slot(const OptimizerSlot& slot, const OptimizerWork& work);
/// Enqueues the step, with what the slot holds when it runs.
void step_from_slot(CudaDevice& device, const OptimizerSlot& slot, const OptimizerWork& work);

}  // namespace pipegraph
