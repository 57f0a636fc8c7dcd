// What every kind of device does around its passes: it reads samples, begins a step with zeros, and
// updates what its stages store.
#pragma once

#include <cstdint>
#include <vector>

#include "exec/passes/device_passes.h"
#include "exec/training/optimizer_step.h"

namespace pipegraph {

/// The samples that a step of a pass reads, into memory of the host.
void read_samples(const StepOrder& order, const ReadStep& step, void* into);

/// What is zero when a step begins. Gradients only without an optimizer: its steps clear what they
/// have used.
std::vector<Stretch> zero_at_begin(const DevicePasses& passes);

/// What the optimizer step of a stage works on.
template <class T>
OptimizedTensors<T> optimized_tensors(const DevicePasses& passes, const AreaBases& bases,
                                      StageId stage) {
  const Optimizer optimizer = passes.tables().model().workload.training.optimizer;
  const Stretch updated = passes.parameters().updated_by(stage);
  const Bytes begin = updated.begin.offset();
  const auto at = [&](Area area, Bytes offset) {
    return reinterpret_cast<T*>(address(bases, {area, offset}));
  };
  OptimizedTensors<T> tensors;
  tensors.count = static_cast<std::int64_t>(updated.bytes.count / sizeof(T));
  tensors.parameters = at(Area::Parameters, begin);
  tensors.gradients = at(Area::Gradients, begin);
  if (state_copies(optimizer) > 0) tensors.first_state = at(Area::State, begin);
  if (state_copies(optimizer) > 1)
    tensors.second_state = at(Area::State, passes.parameters().bytes() + begin);
  return tensors;
}

}  // namespace pipegraph
