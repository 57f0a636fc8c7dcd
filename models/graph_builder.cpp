#include "models/graph_builder.h"

#include <fmt/format.h>

#include <algorithm>

#include "core/base/errors.h"

namespace pipegraph {

namespace {

constexpr std::int64_t k_most_elements = std::int64_t{1} << 48;

}  // namespace

GraphBuilder::GraphBuilder(std::string name, Precision precision, SourcePosition position)
    : name_(std::move(name)), element_(element_size(precision)), position_(std::move(position)) {}

std::int64_t GraphBuilder::elements(std::initializer_list<std::int64_t> sizes) const {
  std::int64_t product = 1;
  for (std::int64_t size : sizes) {
    check(size >= 0, "a size is negative");
    if (__builtin_mul_overflow(product, size, &product) || product > k_most_elements)
      throw ConfigError(position_, "the parameters give a tensor of more than 2^48 elements",
                        "smaller parameters");
  }
  return product;
}

Bytes GraphBuilder::bytes(std::initializer_list<std::int64_t> sizes) const {
  return element_ * static_cast<std::uint64_t>(elements(sizes));
}

Tensor GraphBuilder::add(Operator op) {
  if (operators_.size() == k_most_operators)
    throw ConfigError(position_,
                      fmt::format("the parameters give more than {} operators", k_most_operators),
                      "fewer layers or branches");
  const bool has_gradient_input =
      std::any_of(op.inputs.begin(), op.inputs.end(),
                  [&](OperatorId input) { return at(input).output_needs_gradient; });
  op.output_needs_gradient = has_gradient_input || op.parameters.count > 0;
  op.position = position_;
  const Tensor output{make_id<OperatorId>(operators_.size()), op.arithmetic.rows,
                      op.arithmetic.columns, op.output_needs_gradient};
  operators_.push_back(std::move(op));
  return output;
}

ComputationGraph GraphBuilder::finish() && { return {std::move(name_), std::move(operators_)}; }

}  // namespace pipegraph
