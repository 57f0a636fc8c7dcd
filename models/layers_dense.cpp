// Inputs, linear layers and layer norms.
#include "core/base/errors.h"
#include "models/layers.h"
#include "models/parameter_traffic.h"

namespace pipegraph {

namespace {

constexpr Bytes k_index_size{4};

Operator new_operator(const std::string& name, std::vector<OperatorId> inputs,
                      const OperatorArithmetic& arithmetic) {
  Operator op;
  op.name = name;
  op.inputs = std::move(inputs);
  op.arithmetic = arithmetic;
  return op;
}

void check_residual(const LinearOptions& options, const Tensor& x) {
  if (!options.residual) return;
  check(options.residual->rows == x.rows && options.residual->columns == options.columns,
        "a residual has the shape of the output");
}

/// Work of x W on [rows, in] -> [rows, out]; element-wise parts come as traffic.
void set_linear_work(Operator& op, const GraphBuilder& builder, const Tensor& x,
                     const LinearOptions& options) {
  const Bytes in = builder.bytes({x.rows, x.columns});
  const Bytes out = op.output;
  const bool has_activation = options.activation != Activation::None;
  const bool has_residual = options.residual.has_value();
  const Bytes activation_input = has_activation ? out : Bytes{0};

  op.forward.products = {{x.rows, options.columns, x.columns}};
  op.forward.bytes = in + out + (has_residual ? out : Bytes{0}) + op.internal;
  PassWork& input = op.backward_input.emplace();
  PassWork& weight = op.backward_weight.emplace();
  if (x.needs_gradient) {
    input.products = {{x.rows, x.columns, options.columns}};
    input.bytes = out + activation_input + in;
  }
  if (has_residual && options.residual->needs_gradient) input.bytes += out;
  weight.products = {{x.columns, options.columns, x.rows, ProductScaling::Inner}};
  weight.bytes = in + out + (x.needs_gradient ? Bytes{0} : activation_input);
}

}  // namespace

Tensor feature_input(GraphBuilder& builder, const std::string& name, std::int64_t rows,
                     std::int64_t columns) {
  Operator op =
      new_operator(name, {}, {.kind = Arithmetic::Input, .rows = rows, .columns = columns});
  op.output = builder.bytes({rows, columns});
  return builder.add(std::move(op));
}

Tensor index_input(GraphBuilder& builder, const std::string& name, std::int64_t count,
                   std::int64_t table_rows) {
  Operator op = new_operator(
      name, {}, {.kind = Arithmetic::Input, .rows = count, .columns = 1, .table_rows = table_rows});
  op.output = k_index_size * static_cast<std::uint64_t>(builder.elements({count}));
  return builder.add(std::move(op));
}

Tensor linear(GraphBuilder& builder, const std::string& name, const Tensor& x,
              const LinearOptions& options) {
  check_residual(options, x);
  std::vector<OperatorId> inputs{x.producer};
  if (options.residual) inputs.push_back(options.residual->producer);
  Operator op = new_operator(name, std::move(inputs),
                             {.kind = Arithmetic::Linear,
                              .rows = x.rows,
                              .columns = options.columns,
                              .bias = options.bias,
                              .activation = options.activation});
  op.output = builder.bytes({x.rows, options.columns});
  op.parameters = builder.bytes({x.columns, options.columns});
  if (options.bias) op.parameters += builder.bytes({options.columns});
  op.tied_to = options.tied_to;
  // The backward reads ReLU's mask off the output, unless something is added to that.
  if (options.activation == Activation::Gelu ||
      (options.activation == Activation::Relu && options.residual))
    op.internal = op.output;
  set_linear_work(op, builder, x, options);
  add_parameter_traffic(op);
  return builder.add(std::move(op));
}

Tensor layer_norm(GraphBuilder& builder, const std::string& name, const Tensor& x) {
  Operator op = new_operator(name, {x.producer},
                             {.kind = Arithmetic::LayerNorm, .rows = x.rows, .columns = x.columns});
  const Bytes size = builder.bytes({x.rows, x.columns});
  op.output = size;
  op.parameters = builder.bytes({2, x.columns});
  op.forward.bytes = 2 * size;
  PassWork& input = op.backward_input.emplace();
  if (x.needs_gradient) input.bytes = 3 * size;  // x, gradient of the output, of the input
  op.backward_weight.emplace().bytes = 2 * size;
  add_parameter_traffic(op);
  return builder.add(std::move(op));
}

}  // namespace pipegraph
