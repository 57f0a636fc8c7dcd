#include "exec/passes/pass_frame.h"

#include "core/base/errors.h"

namespace pipegraph {

PassFrame::PassFrame(const PassPlaces& places, InstructionId pass)
    : places_(places),
      pass_(pass),
      forward_(places.tables.forward_of(pass)),
      stage_(places.tables.program().at(pass).stage),
      samples_(places.tables.program().at(pass).samples) {}

Place PassFrame::outside(OperatorId tensor) {
  const auto known = outside_.find(tensor);
  if (known != outside_.end()) return known->second;
  const std::vector<Segment> segments = tensors().outside(forward_, tensor);
  std::int32_t covered = 0;
  for (const Segment& segment : segments) {
    check(segment.at.valid(), "what a pass reads has a place");
    covered += segment.samples.samples();
  }
  check(covered == samples_.samples(), "a pass has all samples of its inputs");
  if (segments.size() == 1) return outside_[tensor] = segments.front().at;
  const Place whole = steps_.scratch(bytes(tensor));
  for (const Segment& segment : segments)
    steps_.copy(segment.at, whole + tables().bytes(tensor, segment.samples.first - samples_.first),
                tables().bytes(tensor, segment.samples.samples()));
  return outside_[tensor] = whole;
}

void PassFrame::deliver(Place whole, const Delivery& delivery) {
  const MicroBatch samples = delivery.to.samples;
  const Place from = whole + tables().bytes(delivery.tensor, samples.first - samples_.first);
  if (from == delivery.to.at) return;
  steps_.copy(from, delivery.to.at, tables().bytes(delivery.tensor, samples.samples()));
}

void PassFrame::read_input(OperatorId input, Place to) {
  ElementKind kind = ElementKind::Real;
  if (tables().element().count < sizeof(float)) kind = ElementKind::Rounded;
  if (yields_indices(at(input).arithmetic)) kind = ElementKind::Whole;
  steps_.read({input, kind, samples_.first, to, bytes(input)});
}

Place PassFrame::labels(OperatorId loss) {
  const bool classes = at(loss).arithmetic.kind == Arithmetic::CrossEntropy;
  const InputShape& input = tables().shape(loss).inputs.front();
  const std::int64_t per_sample = classes ? input.rows : input.elements();
  const Bytes size{sizeof(float) * static_cast<std::uint64_t>(per_sample * samples_.samples())};
  const Place place = steps_.scratch(size);
  steps_.read(
      {loss, classes ? ElementKind::Whole : ElementKind::Real, samples_.first, place, size});
  return place;
}

OperatorStep PassFrame::prepared(OperatorPart part, OperatorId op) {
  OperatorStep step;
  step.part = part;
  step.op = op;
  step.samples = samples_.samples();
  if (at(op).parameters.count > 0) step.parameters = places_.parameters.parameters(op);
  if (is_loss(at(op).arithmetic)) step.labels = labels(op);
  const std::int64_t scratch = scratch_elements(tables().shape(op), step.samples);
  if (scratch > 0)
    step.scratch = steps_.scratch(Bytes{sizeof(float) * static_cast<std::uint64_t>(scratch)});
  return step;
}

}  // namespace pipegraph
