// Multi-head attention as one operator: strided products with the probabilities held in memory.
// T rows, h columns, a heads: t stands for T h elements, p for the a T T probabilities.
#include "core/base/errors.h"
#include "models/layers.h"
#include "models/parameter_traffic.h"

namespace pipegraph {

namespace {

struct AttentionSizes {
  std::int64_t rows, columns, heads;
  std::int64_t head_columns() const { return columns / heads; }
};

/// Queries, keys and values in one product, scores and result with the heads' rows stacked, and the
/// projection of the result.
PassWork forward_work(const AttentionSizes& s, Bytes t, Bytes p) {
  PassWork work;
  work.products = {{s.rows, 3 * s.columns, s.columns},
                   {s.heads * s.rows, s.rows, s.head_columns()},
                   {s.heads * s.rows, s.head_columns(), s.rows},
                   {s.rows, s.columns, s.columns}};
  // t: x 1; queries, keys, values written 3 and read 3; result written and read 2; output 1.
  // p: scores written, read by the softmax, probabilities written, read.
  work.bytes = 10 * t + 4 * p;
  return work;
}

PassWork input_gradient_work(const AttentionSizes& s, Bytes t, Bytes p) {
  PassWork work;
  const MatrixProduct onto_probabilities{s.heads * s.rows, s.rows, s.head_columns()};
  const MatrixProduct from_probabilities{s.heads * s.rows, s.head_columns(), s.rows};
  work.products = {{s.rows, s.columns, s.columns},  // of the heads' result
                   onto_probabilities,              // of the probabilities
                   from_probabilities,              // of the values
                   from_probabilities,              // of the queries
                   from_probabilities,              // of the keys
                   {s.rows, s.columns, 3 * s.columns}};
  // t: output's gradient 1; result's written 1 and read twice 2; values, keys, queries 3; their
  // gradients written 3 and read 3; input's gradient 1.
  // p: probabilities read twice 2; their gradient written and read 2; scores' written 1, read 2.
  work.bytes = 14 * t + 7 * p;
  return work;
}

PassWork weight_gradient_work(const AttentionSizes& s, Bytes t) {
  PassWork work;
  work.products = {{s.columns, s.columns, s.rows, ProductScaling::Inner},
                   {s.columns, 3 * s.columns, s.rows, ProductScaling::Inner}};
  // Output's gradient and the heads' result; x and the gradients of queries, keys, values.
  work.bytes = 6 * t;
  return work;
}

}  // namespace

Tensor attention(GraphBuilder& builder, const std::string& name, const Tensor& x,
                 const AttentionOptions& options) {
  check(options.heads > 0 && x.columns % options.heads == 0, "heads divide the columns");
  const AttentionSizes sizes{x.rows, x.columns, options.heads};
  const Bytes t = builder.bytes({x.rows, x.columns});
  const Bytes p = builder.bytes({options.heads, x.rows, x.rows});

  Operator op;
  op.name = name;
  op.inputs = {x.producer};
  op.arithmetic = {.kind = Arithmetic::Attention,
                   .rows = x.rows,
                   .columns = x.columns,
                   .heads = options.heads,
                   .causal = options.causal,
                   .bias = true};
  op.output = t;
  op.internal = 4 * t + p;
  op.parameters = builder.bytes({4, x.columns, x.columns}) + builder.bytes({4, x.columns});
  op.forward = forward_work(sizes, t, p);
  op.backward_weight = weight_gradient_work(sizes, t);
  op.backward_input =
      input_gradient_work(sizes, t, p);  // the weights need all but its last product
  add_parameter_traffic(op);
  return builder.add(std::move(op));
}

}  // namespace pipegraph
