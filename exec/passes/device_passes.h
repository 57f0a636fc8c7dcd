// Everything one device does, worked out before it does it: its memory, the steps of its passes,
// what its messages and all-reduces are made of. Independent of the kind of device.
#pragma once

#include <span>
#include <vector>

#include "exec/memory/arena.h"
#include "exec/passes/parameter_places.h"
#include "exec/passes/pass_tables.h"
#include "exec/passes/step.h"
#include "exec/passes/tensor_places.h"

namespace pipegraph {

class DevicePasses {
 public:
  /// `tables` must outlive this. Errors: InternalError if the arena lets lifetimes share bytes that
  /// may be live together (looked for in debug builds).
  DevicePasses(const PassTables& tables, DeviceId device, ArenaKind kind = ArenaKind::Shared);

  DeviceId device() const { return device_; }
  const PassTables& tables() const { return tables_; }
  const ArenaLayout& arena() const { return arena_; }
  const ParameterPlaces& parameters() const { return parameters_; }
  /// Losses of the device's stages, ascending; Area::Losses has a row of the mini-batch for each.
  const std::vector<OperatorId>& losses() const { return losses_; }
  /// Bytes of each area.
  const AreaSizes& sizes() const { return sizes_; }

  const CompiledSteps& steps() const { return steps_; }
  /// Of a pass of the device.
  std::span<const Step> steps_of(InstructionId pass) const {
    return steps_.of(ranges_[tables_.model().order.place(pass)]);
  }
  /// Of a send or recv of the device, in the payload's order.
  std::span<const Stretch> message(InstructionId half) const {
    const StepRange range = ranges_[tables_.model().order.place(half)];
    return std::span(stretches_).subspan(range.begin, range.end - range.begin);
  }

 private:
  void compile_passes(const TensorPlaces& tensors);
  void place_messages(const TensorPlaces& tensors);

  const PassTables& tables_;
  DeviceId device_;
  ArenaLayout arena_;
  ParameterPlaces parameters_;
  std::vector<OperatorId> losses_;
  AreaSizes sizes_{};
  CompiledSteps steps_;
  std::vector<Stretch> stretches_;
  std::vector<StepRange> ranges_;  ///< by place: of a pass its steps, of a half its stretches
};

}  // namespace pipegraph
