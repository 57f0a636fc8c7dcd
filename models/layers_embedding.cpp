// Tables: embeddings, bags of them, learned positions. Only the rows that are looked up move.
#include "core/base/errors.h"
#include "models/layers.h"
#include "models/parameter_traffic.h"

namespace pipegraph {

namespace {

/// `rows` table rows read and `output` written; backward: the gradient of the output read, as many
/// rows of the table's gradient read and written. Indices have no gradient.
void set_lookup_work(Operator& op, Bytes indices, Bytes rows) {
  op.forward.bytes = indices + rows + op.output;
  op.backward_input.emplace();
  op.backward_weight.emplace().bytes = indices + op.output + 2 * rows;
}

}  // namespace

Tensor embedding(GraphBuilder& builder, const std::string& name, const Tensor& indices,
                 std::int64_t columns) {
  const Operator& source = builder.at(indices.producer);
  Operator op;
  op.name = name;
  op.inputs = {indices.producer};
  op.arithmetic = {.kind = Arithmetic::Embedding,
                   .rows = indices.rows,
                   .columns = columns,
                   .table_rows = source.arithmetic.table_rows};
  op.output = builder.bytes({indices.rows, columns});
  op.parameters = builder.bytes({source.arithmetic.table_rows, columns});
  set_lookup_work(op, source.output, op.output);
  return builder.add(std::move(op));
}

Tensor embedding_bag(GraphBuilder& builder, const std::string& name, const Tensor& indices,
                     const BagOptions& options) {
  const Operator& source = builder.at(indices.producer);
  const Bytes rows = builder.bytes({indices.rows, options.columns});
  const bool side_by_side = options.pooling == Pooling::Concat;
  Operator op;
  op.name = name;
  op.inputs = {indices.producer};
  op.arithmetic = {
      .kind = Arithmetic::EmbeddingBag,
      .rows = 1,
      .columns = side_by_side ? builder.elements({indices.rows, options.columns}) : options.columns,
      .table_rows = source.arithmetic.table_rows,
      .indices = indices.rows,
      .pooling = options.pooling};
  op.output = builder.bytes({op.arithmetic.columns});
  op.parameters = builder.bytes({source.arithmetic.table_rows, options.columns});
  set_lookup_work(op, source.output, rows);
  return builder.add(std::move(op));
}

Tensor position_embedding(GraphBuilder& builder, const std::string& name, const Tensor& x) {
  Operator op;
  op.name = name;
  op.inputs = {x.producer};
  op.arithmetic = {.kind = Arithmetic::PositionEmbedding, .rows = x.rows, .columns = x.columns};
  op.output = builder.bytes({x.rows, x.columns});
  op.parameters = op.output;
  op.forward.bytes = 2 * op.output;
  PassWork& input = op.backward_input.emplace();
  if (x.needs_gradient) input.bytes = 2 * op.output;
  op.backward_weight.emplace().bytes = op.output;
  op.forward.fixed_bytes = op.parameters;
  op.backward_weight->fixed_bytes = 2 * op.parameters;
  return builder.add(std::move(op));
}

}  // namespace pipegraph
