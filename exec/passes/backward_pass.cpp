// A backward or one part of a split one: recomputation, then the stage's operators in reverse, then
// the gradients that other stages wait for. The second part of a split one adds to the gradients of
// the parameters only.
#include <ranges>

#include "core/base/errors.h"
#include "exec/passes/gradient_sums.h"
#include "exec/passes/pass_frame.h"

namespace pipegraph {

namespace {

class BackwardPass {
 public:
  BackwardPass(const PassPlaces& places, InstructionId pass)
      : frame_(places, pass), kind_(places.tables.program().at(pass).kind), sums_(frame_) {}

  StepBuilder compile() && {
    if (makes_gradients()) recompute();
    const std::vector<OperatorId>& order = frame_.tables().order(frame_.stage());
    for (const OperatorId op : std::views::reverse(order))
      if (frame_.tables().runs_backward(op)) run(op);
    for (const Delivery& delivery : sums_.deliveries()) deliver(delivery);
    for (const ParameterPlaces::Fold& fold : frame_.places().parameters.folds_after(frame_.pass()))
      frame_.steps().add(fold.from, fold.to, fold.bytes);
    return std::move(frame_.steps());
  }

 private:
  bool makes_gradients() const { return kind_ != InstructionKind::BackwardWeight; }
  bool adds_to_parameters() const { return kind_ != InstructionKind::BackwardInput; }

  Place input(OperatorId tensor) {
    return frame_.is_own(tensor) ? frame_.tensors().output_again(frame_.pass(), tensor)
                                 : frame_.outside(tensor);
  }
  std::vector<Place> inputs(OperatorId op) {
    std::vector<Place> places;
    for (const OperatorId tensor : frame_.at(op).inputs) places.push_back(input(tensor));
    return places;
  }

  void recompute() {
    for (const OperatorId op : frame_.tables().order(frame_.stage())) {
      if (!frame_.tables().is_recomputed(op)) continue;
      const bool kept = frame_.tables().model().footprints[frame_.stage().index()].keeps(op);
      if (!kept || frame_.at(op).internal.count > 0) run_again(op, kept);
    }
  }

  /// What is kept may still be read by others and is not written twice.
  void run_again(OperatorId op, bool kept) {
    const Place output = kept ? frame_.steps().scratch(frame_.bytes(op))
                              : frame_.tensors().output_again(frame_.pass(), op);
    if (frame_.at(op).arithmetic.kind == Arithmetic::Input) return frame_.read_input(op, output);
    OperatorStep step = frame_.prepared(OperatorPart::Forward, op);
    step.output = output;
    step.internal = frame_.tensors().internal_again(frame_.pass(), op);
    frame_.steps().operate(step, inputs(op));
  }

  void run(OperatorId op) {
    const bool has_parameters = frame_.at(op).parameters.count > 0;
    if (!makes_gradients() && !has_parameters) return;
    OperatorStep step = frame_.prepared(OperatorPart::BackwardInput, op);
    step.output = frame_.tensors().output_again(frame_.pass(), op);
    step.internal = frame_.tensors().internal_again(frame_.pass(), op);
    const std::vector<Place> read = inputs(op);
    std::vector<Place> gradients(read.size());
    if (makes_gradients()) {
      if (!is_loss(frame_.at(op).arithmetic)) step.output_gradient = sums_.total(op);
      gradients = input_gradients(op);
      frame_.steps().operate(step, read, gradients);
    } else {
      step.output_gradient = sums_.finished(op);
    }
    if (!adds_to_parameters() || !has_parameters) return;
    step.part = OperatorPart::BackwardWeight;
    step.parameter_gradient = frame_.places().parameters.gradient(op);
    frame_.steps().operate(step, read, gradients);
  }

  std::vector<Place> input_gradients(OperatorId op) {
    std::vector<Place> places;
    const std::vector<OperatorId>& tensors = frame_.at(op).inputs;
    for (const OperatorId tensor : tensors)
      places.push_back(frame_.at(tensor).output_needs_gradient ? sums_.contribution(op, tensor)
                                                               : Place());
    return places;
  }

  void deliver(const Delivery& delivery) {
    const Place whole = sums_.total(delivery.tensor);
    if (whole.valid()) return frame_.deliver(whole, delivery);
    frame_.steps().zero(delivery.to.at,
                        frame_.tables().bytes(delivery.tensor, delivery.to.samples.samples()));
  }

  PassFrame frame_;
  InstructionKind kind_;
  GradientSums sums_;
};

}  // namespace

StepBuilder compile_backward(const PassPlaces& places, InstructionId pass) {
  return BackwardPass(places, pass).compile();
}

}  // namespace pipegraph
