// Operators without parameters: where branches meet, and losses.
#include "core/base/errors.h"
#include "models/layers.h"

namespace pipegraph {

namespace {

constexpr Bytes k_loss_size{4};
constexpr Bytes k_label_size{4};

Operator joining(const std::string& name, const std::vector<Tensor>& parts, Arithmetic kind) {
  check(!parts.empty(), "a join needs parts");
  Operator op;
  op.name = name;
  for (const Tensor& part : parts) op.inputs.push_back(part.producer);
  op.arithmetic.kind = kind;
  op.arithmetic.rows = parts.front().rows;
  op.arithmetic.columns = parts.front().columns;
  return op;
}

}  // namespace

Tensor add(GraphBuilder& builder, const std::string& name, const Tensor& x, const Tensor& y) {
  check(x.rows == y.rows && x.columns == y.columns, "only equal shapes are added");
  Operator op = joining(name, {x, y}, Arithmetic::Add);
  op.output = builder.bytes({x.rows, x.columns});
  op.forward.bytes = 3 * op.output;
  const std::uint64_t gradients = (x.needs_gradient ? 1U : 0U) + (y.needs_gradient ? 1U : 0U);
  if (gradients > 0) op.backward.bytes = (1 + gradients) * op.output;
  return builder.add(std::move(op));
}

Tensor concat(GraphBuilder& builder, const std::string& name, const std::vector<Tensor>& parts) {
  Operator op = joining(name, parts, Arithmetic::Concat);
  std::int64_t columns = 0;
  Bytes gradients;
  for (const Tensor& part : parts) {
    check(part.rows == parts.front().rows, "concatenated parts have equal rows");
    columns += part.columns;
    if (part.needs_gradient) gradients += builder.bytes({part.rows, part.columns});
  }
  op.arithmetic.columns = columns;
  op.output = builder.bytes({op.arithmetic.rows, columns});
  op.forward.bytes = 2 * op.output;
  op.backward.bytes = 2 * gradients;
  return builder.add(std::move(op));
}

Tensor dot_interaction(GraphBuilder& builder, const std::string& name,
                       const std::vector<Tensor>& parts) {
  Operator op = joining(name, parts, Arithmetic::DotInteraction);
  const auto count = static_cast<std::int64_t>(parts.size());
  const std::int64_t width = parts.front().columns;
  for (const Tensor& part : parts)
    check(part.rows == 1 && part.columns == width, "dot products need rows of equal width");
  op.arithmetic.columns = width + builder.elements({count, count - 1}) / 2;
  op.output = builder.bytes({op.arithmetic.columns});
  const Bytes inputs = builder.bytes({count, width});
  const Bytes products = builder.bytes({count, count});
  op.forward.products = {{count, count, width}};             // all pairs, half of them kept
  op.forward.bytes = 2 * inputs + 2 * products + op.output;  // stacked, multiplied, picked
  op.backward.products = {{count, width, count}, {count, width, count}};
  op.backward.bytes = 2 * op.forward.bytes;
  return builder.add(std::move(op));
}

Tensor mean_squared_error(GraphBuilder& builder, const std::string& name, const Tensor& x) {
  Operator op = joining(name, {x}, Arithmetic::MeanSquaredError);
  const Bytes size = builder.bytes({x.rows, x.columns});
  op.arithmetic.rows = 1;
  op.arithmetic.columns = 1;
  op.output = k_loss_size;
  op.forward.bytes = 2 * size;   // prediction and target
  op.backward.bytes = 3 * size;  // both, and the gradient
  return builder.add(std::move(op));
}

Tensor cross_entropy(GraphBuilder& builder, const std::string& name, const Tensor& x) {
  Operator op = joining(name, {x}, Arithmetic::CrossEntropy);
  const Bytes size = builder.bytes({x.rows, x.columns});
  const Bytes labels = k_label_size * static_cast<std::uint64_t>(x.rows);
  op.arithmetic.rows = 1;
  op.arithmetic.columns = 1;
  op.output = k_loss_size;
  op.forward.bytes = 2 * size + labels;   // the largest value, then the sum
  op.backward.bytes = 2 * size + labels;  // read, and the gradient written
  return builder.add(std::move(op));
}

}  // namespace pipegraph
