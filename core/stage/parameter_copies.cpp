#include "core/stage/parameter_copies.h"

namespace pipegraph {

namespace {

/// Elements as they are trained, in those of the model.
std::uint64_t widening(Precision precision) {
  return gradient_element(precision).count / element_size(precision).count;
}
/// bf16 keeps a rounded copy of the size that the model counts.
std::uint64_t rounded_copies(Precision precision) { return precision == Precision::Bf16 ? 1 : 0; }

}  // namespace

Bytes gradient_element(Precision precision) {
  return precision == Precision::Bf16 ? Bytes{4} : element_size(precision);
}

ParameterCopies parameter_copies(const Training& training) {
  const std::uint64_t wide = widening(training.precision);
  return {.weights = wide + rounded_copies(training.precision),
          .gradients = wide,
          .state = wide * state_copies(training.optimizer)};
}

Bytes reduced_bytes(const Training& training, Bytes parameters) {
  return parameters * widening(training.precision);
}

std::uint64_t optimizer_traffic(const Training& training) {
  const std::uint64_t wide = widening(training.precision);
  return 2 * wide * (2 + state_copies(training.optimizer)) + rounded_copies(training.precision);
}

}  // namespace pipegraph
