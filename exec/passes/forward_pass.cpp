// A forward: the stage's operators in order, then what others need of it.
#include <algorithm>

#include "core/base/errors.h"
#include "exec/passes/pass_frame.h"

namespace pipegraph {

namespace {

class ForwardPass {
 public:
  ForwardPass(const PassPlaces& places, InstructionId pass) : frame_(places, pass) {}

  StepBuilder compile() && {
    for (const OperatorId op : frame_.tables().order(frame_.stage())) run(op);
    for (const Delivery& delivery : frame_.tensors().forward_deliveries(frame_.pass()))
      frame_.deliver(input(delivery.tensor), delivery);
    return std::move(frame_.steps());
  }

 private:
  Place input(OperatorId tensor) {
    return frame_.is_own(tensor) ? frame_.tensors().output(frame_.pass(), tensor)
                                 : frame_.outside(tensor);
  }

  void run(OperatorId op) {
    const Place output = frame_.tensors().output(frame_.pass(), op);
    if (frame_.at(op).arithmetic.kind == Arithmetic::Input) return frame_.read_input(op, output);
    OperatorStep step = frame_.prepared(OperatorPart::Forward, op);
    step.output = output;
    step.internal = frame_.tensors().internal(frame_.pass(), op);
    std::vector<Place> inputs;
    for (const OperatorId tensor : frame_.at(op).inputs) inputs.push_back(input(tensor));
    frame_.steps().operate(step, inputs);
    if (is_loss(frame_.at(op).arithmetic)) keep_loss(op, output);
  }

  /// A row of the whole mini-batch for each loss.
  void keep_loss(OperatorId op, Place output) {
    const std::vector<OperatorId>& losses = frame_.places().losses;
    const auto row = std::find(losses.begin(), losses.end(), op) - losses.begin();
    const std::int64_t number = row * frame_.tables().mini_batch() + frame_.samples().first;
    frame_.steps().copy(output,
                        {Area::Losses, Bytes{sizeof(float) * static_cast<std::uint64_t>(number)}},
                        frame_.bytes(op));
  }

  PassFrame frame_;
};

}  // namespace

StepBuilder compile_forward(const PassPlaces& places, InstructionId pass) {
  return ForwardPass(places, pass).compile();
}

}  // namespace pipegraph
