#include "exec/cuda/attention_graphs.h"

#include <utility>

namespace pipegraph {

namespace {

using Tensor = CudnnGraph::Tensor;

constexpr cudnnDataType_t k_data = CUDNN_DATA_BFLOAT16;

/// Tensors of one shape, and what both passes are made of.
class Pattern {
 public:
  explicit Pattern(const AttentionShape& shape)
      : shape_(shape),
        rows_{shape.samples, shape.heads, shape.tokens, shape.head_columns},
        square_{shape.samples, shape.heads, shape.tokens, shape.tokens} {}

  CudnnGraph& graph() { return graph_; }

  Tensor by_head(cudnnDataType_t type = k_data, TensorKind kind = TensorKind::Given) {
    return graph_.add({rows_, dense_strides(rows_), type, kind});
  }
  /// By head, [head columns, tokens].
  Tensor by_head_transposed() {
    const auto [b, h, t, d] = rows_;
    return graph_.add({{b, h, d, t}, {h * t * d, t * d, 1, d}, k_data, TensorKind::Given});
  }
  /// By token, of so many tensors side by side.
  Tensor by_token(std::int64_t parts = 1) {
    const auto [b, h, t, d] = rows_;
    const std::int64_t token = parts * h * d;
    return graph_.add({rows_, {t * token, d, token, 1}, k_data, TensorKind::Given});
  }
  Tensor column(TensorKind kind = TensorKind::Virtual) {
    const FourDims dims{rows_[0], rows_[1], rows_[2], 1};
    return graph_.add({dims, dense_strides(dims), CUDNN_DATA_FLOAT, kind});
  }
  Tensor scalar() { return graph_.add({.kind = TensorKind::Scalar}); }
  Tensor scores(cudnnDataType_t type = CUDNN_DATA_FLOAT) {
    return graph_.add({square_, dense_strides(square_), type, TensorKind::Virtual});
  }

  /// Scores of what `mode` makes of scores.
  Tensor apply(cudnnPointwiseMode_t mode, Tensor x, Tensor second = 0) {
    const Tensor result = scores();
    graph_.pointwise({.mode = mode, .x = x, .second = second}, result);
    return result;
  }
  /// If it is causal, `never` where a row would look ahead.
  Tensor masked(Tensor x, Tensor never) {
    if (!shape_.causal) return x;
    const Tensor result = scores(), row = index(x, 2), column = index(x, 3);
    const Tensor visible = scores(CUDNN_DATA_BOOLEAN);
    graph_.pointwise({.mode = CUDNN_POINTWISE_CMP_GE,
                      .x = row,
                      .second = column,
                      .arithmetic = CUDNN_DATA_BOOLEAN},
                     visible);
    graph_.pointwise(
        {.mode = CUDNN_POINTWISE_BINARY_SELECT, .x = x, .second = never, .condition = visible},
        result);
    return result;
  }
  /// Scores, rounded, by key instead of by query.
  Tensor rounded_by_key(Tensor x) {
    const auto [b, h, t, also_t] = square_;
    const Tensor result =
        graph_.add({square_, {h * t * t, t * t, 1, t}, k_data, TensorKind::Virtual});
    graph_.view(x, result);
    return result;
  }

 private:
  Tensor index(Tensor x, std::int64_t axis) {
    const Tensor result = scores(CUDNN_DATA_INT32);
    graph_.pointwise({.mode = CUDNN_POINTWISE_GEN_INDEX, .x = x, .axis = axis}, result);
    return result;
  }

  AttentionShape shape_;
  FourDims rows_, square_;
  CudnnGraph graph_;
};

/// result = softmax(scores) values, and the logarithm of each row's sum.
void add_softmax(Pattern& pattern, Tensor scores, Tensor statistics, Tensor probabilities) {
  CudnnGraph& graph = pattern.graph();
  const Tensor most = pattern.column(), sum = pattern.column(), logarithm = pattern.column();
  graph.reduce(CUDNN_REDUCE_TENSOR_MAX, scores, most);
  const Tensor below = pattern.apply(CUDNN_POINTWISE_SUB, scores, most);
  const Tensor powers = pattern.apply(CUDNN_POINTWISE_EXP, below);
  graph.reduce(CUDNN_REDUCE_TENSOR_ADD, powers, sum);
  graph.pointwise({.mode = CUDNN_POINTWISE_LOG, .x = sum}, logarithm);
  graph.pointwise({.mode = CUDNN_POINTWISE_ADD, .x = most, .second = logarithm}, statistics);
  graph.pointwise({.mode = CUDNN_POINTWISE_DIV, .x = powers, .second = sum}, probabilities);
}

/// What a backward has in memory, in the order of BackwardTensor.
struct BackwardTensors {
  Tensor queries, keys, values, result, statistics, result_gradient;
  Tensor queries_gradient, keys_gradient, values_gradient, sums, wide_queries_gradient;
  Tensor scale, one, never;

  explicit BackwardTensors(Pattern& p)
      : queries(p.by_head()),
        keys(p.by_head_transposed()),
        values(p.by_head_transposed()),
        result(p.by_token()),
        statistics(p.column(TensorKind::Given)),
        result_gradient(p.by_token()),
        queries_gradient(p.by_token(3)),
        keys_gradient(p.by_token(3)),
        values_gradient(p.by_token(3)),
        sums(p.column(TensorKind::Given)),
        wide_queries_gradient(p.by_head(CUDNN_DATA_FLOAT)),
        scale(p.scalar()),
        one(p.scalar()),
        never(p.scalar()) {}
};

/// Each row's product of the result with its gradient.
void add_sums(Pattern& p, const BackwardTensors& t) {
  CudnnGraph& graph = p.graph();
  const Tensor products = p.by_head(CUDNN_DATA_FLOAT, TensorKind::Virtual), sum = p.column();
  graph.pointwise({.mode = CUDNN_POINTWISE_MUL, .x = t.result_gradient, .second = t.result},
                  products);
  graph.reduce(CUDNN_REDUCE_TENSOR_ADD, products, sum);
  graph.pointwise({.mode = CUDNN_POINTWISE_MUL, .x = sum, .second = t.one}, t.sums);
}

Tensor add_probabilities(Pattern& p, const BackwardTensors& t) {
  const Tensor product = p.scores();
  p.graph().matmul(t.queries, t.keys, product);
  const Tensor scaled = p.apply(CUDNN_POINTWISE_MUL, product, t.scale);
  const Tensor below = p.apply(CUDNN_POINTWISE_SUB, scaled, t.statistics);
  return p.apply(CUDNN_POINTWISE_EXP, p.masked(below, t.never));
}

Tensor add_score_gradients(Pattern& p, const BackwardTensors& t, Tensor probabilities) {
  const Tensor product = p.scores();
  p.graph().matmul(t.result_gradient, t.values, product);
  const Tensor centred = p.apply(CUDNN_POINTWISE_SUB, product, t.sums);
  const Tensor weighted = p.apply(CUDNN_POINTWISE_MUL, centred, probabilities);
  return p.apply(CUDNN_POINTWISE_MUL, weighted, t.scale);
}

}  // namespace

CudnnGraph forward_attention_graph(const AttentionShape& shape) {
  Pattern p(shape);
  CudnnGraph& graph = p.graph();
  const Tensor queries = p.by_head(), keys = p.by_head_transposed(), values = p.by_head();
  const Tensor result = p.by_token(), statistics = p.column(TensorKind::Given);
  const Tensor scale = p.scalar(), never = p.scalar();
  const Tensor product = p.scores();
  graph.matmul(queries, keys, product);
  const Tensor scaled = p.apply(CUDNN_POINTWISE_MUL, product, scale);
  const Tensor scores = p.masked(scaled, never);
  const Tensor probabilities = p.scores(k_data);
  add_softmax(p, scores, statistics, probabilities);
  graph.matmul(probabilities, values, result);
  return std::move(graph);
}

CudnnGraph backward_attention_graph(const AttentionShape& shape) {
  Pattern p(shape);
  CudnnGraph& graph = p.graph();
  const BackwardTensors t(p);
  add_sums(p, t);
  const Tensor probabilities = add_probabilities(p, t);
  graph.matmul(p.rounded_by_key(probabilities), t.result_gradient, t.values_gradient);
  const Tensor scores = add_score_gradients(p, t, probabilities);
  graph.matmul(p.rounded_by_key(scores), t.queries, t.keys_gradient);
  const Tensor keys = p.by_head(CUDNN_DATA_FLOAT, TensorKind::Virtual);
  graph.view(t.keys, keys);
  graph.matmul(scores, keys, t.wide_queries_gradient);
  graph.pointwise({.mode = CUDNN_POINTWISE_IDENTITY, .x = t.wide_queries_gradient},
                  t.queries_gradient);
  return std::move(graph);
}

}  // namespace pipegraph
