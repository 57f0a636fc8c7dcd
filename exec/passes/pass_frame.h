// What compiling a forward and a backward have in common.
#pragma once

#include <unordered_map>
#include <vector>

#include "exec/passes/held_places.h"
#include "exec/passes/parameter_places.h"
#include "exec/passes/step_builder.h"
#include "exec/passes/tensor_places.h"

namespace pipegraph {

/// Where everything lies that passes of a device touch; all must outlive the compilation.
struct PassPlaces {
  const PassTables& tables;
  const TensorPlaces& tensors;
  const ParameterPlaces& parameters;
  const HeldPlaces& held;
  const std::vector<OperatorId>& losses;  ///< of the device; Area::Losses has a row for each
};

class PassFrame {
 public:
  PassFrame(const PassPlaces& places, InstructionId pass);

  const PassTables& tables() const { return places_.tables; }
  const TensorPlaces& tensors() const { return places_.tensors; }
  const PassPlaces& places() const { return places_; }
  const Operator& at(OperatorId op) const { return tables().graph().at(op); }
  InstructionId pass() const { return pass_; }
  InstructionId forward() const { return forward_; }
  StageId stage() const { return stage_; }
  MicroBatch samples() const { return samples_; }
  StepBuilder& steps() { return steps_; }

  bool is_own(OperatorId op) const { return tables().model().stages.stage_of(op) == stage_; }
  /// Of a tensor over the pass's samples.
  Bytes bytes(OperatorId tensor) const { return tables().bytes(tensor, samples_.samples()); }

  /// A tensor of another stage in one piece: where it lies, or gathered, once per pass.
  Place outside(OperatorId tensor);
  /// Samples of the pass, which `whole` holds, copied to where they are wanted.
  void deliver(Place whole, const Delivery& delivery);
  /// An input's values for the pass.
  void read_input(OperatorId input, Place to);
  /// An operator's step with labels read, scratch and parameters in place; tensors are left open.
  OperatorStep prepared(OperatorPart part, OperatorId op);

 private:
  Place labels(OperatorId loss);

  const PassPlaces& places_;
  InstructionId pass_, forward_;
  StageId stage_;
  MicroBatch samples_;
  StepBuilder steps_;
  std::unordered_map<OperatorId, Place> outside_;
};

/// Steps of a Forward.
StepBuilder compile_forward(const PassPlaces& places, InstructionId pass);
/// Steps of a Backward, BackwardInput or BackwardWeight.
StepBuilder compile_backward(const PassPlaces& places, InstructionId pass);

}  // namespace pipegraph
