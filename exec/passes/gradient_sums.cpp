#include "exec/passes/gradient_sums.h"

#include <algorithm>

#include "core/base/errors.h"

namespace pipegraph {

GradientSums::GradientSums(PassFrame& frame)
    : frame_(frame), gradient_pass_(frame.tables().gradient_of(frame.pass())) {
  if (gradient_pass_ == frame.pass())
    deliveries_ = frame.tensors().backward_deliveries(gradient_pass_);
}

std::vector<GradientSums::Term> GradientSums::terms_of(OperatorId tensor) const {
  std::vector<Term> terms;
  if (!frame_.at(tensor).output_needs_gradient) return terms;
  for (const OperatorId reader : frame_.tables().consumers(tensor))
    if (frame_.is_own(reader) && frame_.tables().has_gradient(reader))
      terms.push_back({reader, {}, true});
  for (const Contribution& outside : frame_.tensors().contributions(gradient_pass_, tensor))
    terms.push_back({outside.first_reader, outside.segments, false});
  std::sort(terms.begin(), terms.end(),
            [](const Term& a, const Term& b) { return a.reader < b.reader; });
  return terms;
}

/// Where the sum is wanted anyway, so that it need not be copied.
Place GradientSums::preferred(OperatorId tensor) const {
  if (frame_.is_own(tensor)) return frame_.places().held.of(gradient_pass_, tensor);
  Place only;
  for (const Delivery& delivery : deliveries_) {
    if (delivery.tensor != tensor) continue;
    if (only.valid() || delivery.to.samples != frame_.samples()) return {};
    only = delivery.to.at;
  }
  return only;
}

GradientSums::Sum& GradientSums::sum_of(OperatorId tensor) {
  const auto [entry, fresh] = sums_.try_emplace(tensor);
  Sum& sum = entry->second;
  if (!fresh) return sum;
  sum.terms = terms_of(tensor);
  if (sum.terms.empty()) return sum;
  // The first two may be added either way round, so either can be where the sum grows.
  sum.base = sum.terms.size();
  for (std::size_t t = 0; t < std::min<std::size_t>(2, sum.terms.size()); ++t)
    if (sum.terms[t].own && sum.base == sum.terms.size()) sum.base = t;
  const Term& first = sum.terms.front();
  if (sum.terms.size() == 1 && !first.own && first.segments.size() == 1) {
    sum.into = first.segments.front().at;
    sum.added_up = true;
    return sum;
  }
  sum.into = preferred(tensor);
  if (!sum.into.valid()) sum.into = frame_.steps().scratch(frame_.bytes(tensor));
  for (std::size_t t = 0; t < sum.terms.size(); ++t)
    if (sum.terms[t].own)
      sum.terms[t].segments = {
          {frame_.samples(),
           t == sum.base ? sum.into : frame_.steps().scratch(frame_.bytes(tensor))}};
  return sum;
}

Place GradientSums::contribution(OperatorId reader, OperatorId tensor) {
  for (const Term& term : sum_of(tensor).terms)
    if (term.own && term.reader == reader) return term.segments.front().at;
  check(false, "a reader contributes to the gradient of its input");
  return {};
}

void GradientSums::move(const Term& term, Place into, OperatorId tensor) {
  for (const Segment& segment : term.segments)
    frame_.steps().copy(
        segment.at,
        into + frame_.tables().bytes(tensor, segment.samples.first - frame_.samples().first),
        frame_.tables().bytes(tensor, segment.samples.samples()));
}

void GradientSums::add_up(const Sum& sum, OperatorId tensor) {
  std::size_t base = sum.base;
  if (base == sum.terms.size()) {
    base = 0;
    move(sum.terms.front(), sum.into, tensor);
  }
  for (std::size_t t = 0; t < sum.terms.size(); ++t) {
    if (t == base) continue;
    for (const Segment& segment : sum.terms[t].segments)
      frame_.steps().add(
          segment.at,
          sum.into + frame_.tables().bytes(tensor, segment.samples.first - frame_.samples().first),
          frame_.tables().bytes(tensor, segment.samples.samples()));
  }
}

Place GradientSums::total(OperatorId tensor) {
  Sum& sum = sum_of(tensor);
  if (!sum.added_up && !sum.terms.empty()) add_up(sum, tensor);
  sum.added_up = true;
  return sum.into;
}

}  // namespace pipegraph
