// Multi-head attention (Vaswani et al., arXiv 1706.03762): projections to queries, keys and values,
// softmax(queries keys' / sqrt(head columns)) values by head, and a projection of the result.
//
// Kept for the backward, per sample of t = rows x columns elements: queries, keys, values (t each,
// by head), the heads' result (t, by token), the probabilities. The first part of the backward puts
// the gradients of queries, keys and values in the place of these, by token, for the second part.
// On a device that fuses it, a number for each row of scores stands for the probabilities.
#pragma once

#include <cmath>

#include "exec/kernels/attention.h"
#include "exec/kernels/bias.h"
#include "exec/kernels/softmax.h"
#include "exec/operators/column_sums.h"
#include "exec/operators/fused_attention.h"
#include "exec/operators/operator.h"
#include "exec/operators/products.h"

namespace pipegraph::operators {

/// Sizes for all samples, and where things lie in parameters and internal.
template <class T>
struct Attention {
  kernels::HeadShape heads;  ///< of one part
  std::int64_t columns;
  std::int64_t tokens;    ///< of all samples
  std::int64_t elements;  ///< tokens x columns
  std::int64_t probability_elements;
  std::int64_t parameter_offsets[4];  ///< projection weight, its bias, output weight, its bias
  T *queries, *keys, *values, *result, *probabilities;
  bool bias, causal;

  kernels::Wide<T> score_scale() const {
    return kernels::Wide<T>{1} / std::sqrt(kernels::Wide<T>(heads.head_columns));
  }
  kernels::HeadShape three_parts() const {
    kernels::HeadShape three = heads;
    three.parts = 3;
    return three;
  }
};

template <class D>
bool fuses_attention([[maybe_unused]] D& device) {
  if constexpr (FusesAttention<D>)
    return device.fuses_attention();
  else
    return false;
}

/// On the next multiple of k_fused_alignment bytes.
template <class T>
T* aligned(T* pointer) {
  const auto above =
      static_cast<std::int64_t>(reinterpret_cast<std::uintptr_t>(pointer) % k_fused_alignment);
  const std::int64_t missing = above == 0 ? 0 : k_fused_alignment - above;
  return pointer + missing / static_cast<std::int64_t>(sizeof(T));
}

template <ArithmeticDevice D, class T = typename D::Scalar>
Attention<T> attention_of(D& device, const OperatorShape& shape, const OperatorData<T>& data) {
  const OperatorArithmetic& op = shape.arithmetic;
  const std::int64_t c = op.columns;
  Attention<T> a{};
  a.heads = {data.samples, op.rows, op.heads, c / op.heads, 1};
  a.columns = c;
  a.tokens = data.samples * op.rows;
  a.elements = a.tokens * c;
  a.probability_elements = data.samples * op.heads * op.rows * op.rows;
  const std::int64_t projection_bias = op.bias ? 3 * c : 0;
  a.parameter_offsets[1] = 3 * c * c;
  a.parameter_offsets[2] = 3 * c * c + projection_bias;
  a.parameter_offsets[3] = a.parameter_offsets[2] + c * c;
  a.queries = fuses_attention(device) ? aligned(data.internal) : data.internal;
  a.keys = a.queries + a.elements;
  a.values = a.keys + a.elements;
  a.result = a.values + a.elements;
  a.probabilities = a.result + a.elements;
  a.bias = op.bias;
  a.causal = op.causal;
  return a;
}

/// A product per sample and head; every matrix is dense, [tokens, tokens] or [tokens, columns of a
/// head].
template <class T>
struct HeadProduct {
  std::int64_t m, n, k;
  const T* a;
  Transpose transpose_a;
  const T* b;
  Transpose transpose_b;
  T* c;
  kernels::Wide<T> alpha{1};
};

template <ArithmeticDevice D, class T = typename D::Scalar>
void by_head(D& device, const kernels::HeadShape& heads, const HeadProduct<T>& p) {
  const std::int64_t a_stride = p.transpose_a == Transpose::Yes ? p.m : p.k;
  const std::int64_t b_stride = p.transpose_b == Transpose::Yes ? p.k : p.n;
  device.gemm_strided_batched(
      Gemm<T>{.m = p.m,
              .n = p.n,
              .k = p.k,
              .a = {p.a, a_stride, p.transpose_a},
              .b = {p.b, b_stride, p.transpose_b},
              .c = p.c,
              .c_stride = p.n,
              .alpha = p.alpha},
      BatchStrides{heads.samples * heads.heads, p.m * p.k, p.k * p.n, p.m * p.n});
}

/// x to queries, keys and values.
template <ArithmeticDevice D>
void project(D& device, const Attention<typename D::Scalar>& a,
             const OperatorData<typename D::Scalar>& data) {
  using T = typename D::Scalar;
  times_transposed(device, {a.tokens, 3 * a.columns, a.columns}, data.inputs[0], data.parameters,
                   scratch_of(data));
  kernels::View<const T> bias;
  if (a.bias) bias = {data.parameters + a.parameter_offsets[1], 3 * a.columns};
  device.rows(
      a.three_parts().rows(),
      kernels::SplitHeads<T>{
          a.three_parts(), {scratch_of(data), 3 * a.elements}, bias, {a.queries, 3 * a.elements}});
}

/// Queries, keys and values to the heads' result.
template <ArithmeticDevice D>
void attend(D& device, const Attention<typename D::Scalar>& a,
            const OperatorData<typename D::Scalar>& data) {
  using T = typename D::Scalar;
  const std::int64_t tokens = a.heads.tokens;
  const std::int64_t width = a.heads.head_columns;
  by_head(device, a.heads,
          HeadProduct<T>{tokens, tokens, width, a.queries, Transpose::No, a.keys, Transpose::Yes,
                         a.probabilities, a.score_scale()});
  const kernels::View<T> probabilities{a.probabilities, a.probability_elements};
  device.rows(
      a.probability_elements / tokens,
      kernels::SoftmaxForward<T>{tokens, a.causal ? tokens : 0, probabilities, probabilities});
  by_head(device, a.heads,
          HeadProduct<T>{tokens, width, tokens, a.probabilities, Transpose::No, a.values,
                         Transpose::No, scratch_of(data)});
  device.rows(a.heads.rows(), kernels::MergeHeads<T>{
                                  a.heads, {scratch_of(data), a.elements}, {a.result, a.elements}});
}

template <class T>
FusedAttention<T> fused(const Attention<T>& a) {
  return {a.heads, a.causal, a.score_scale(), a.queries,
          a.keys,  a.values, a.result,        reinterpret_cast<kernels::Wide<T>*>(a.probabilities)};
}

template <ArithmeticDevice D>
void attend_fused([[maybe_unused]] D& device,
                  [[maybe_unused]] const Attention<typename D::Scalar>& a) {
  if constexpr (FusesAttention<D>) device.attend(fused(a));
}

template <ArithmeticDevice D>
void forward_attention(D& device, const OperatorShape& shape,
                       const OperatorData<typename D::Scalar>& data) {
  using T = typename D::Scalar;
  const Attention<T> a = attention_of(device, shape, data);
  project(device, a, data);
  if (fuses_attention(device))
    attend_fused(device, a);
  else
    attend(device, a, data);
  times_transposed(device, {a.tokens, a.columns, a.columns}, a.result,
                   data.parameters + a.parameter_offsets[2], data.output);
  if (!a.bias) return;
  device.rows(a.tokens, kernels::BiasActivation<T, kernels::Identity>{
                            a.columns,
                            {data.parameters + a.parameter_offsets[3], a.columns},
                            {},
                            {},
                            {data.output, a.elements}});
}

/// From the gradient of the output to those of queries, keys and values.
template <ArithmeticDevice D>
void backward_heads(D& device, const Attention<typename D::Scalar>& a,
                    const OperatorData<typename D::Scalar>& data,
                    const typename D::Scalar* output_gradient) {
  using T = typename D::Scalar;
  const std::int64_t tokens = a.heads.tokens;
  const std::int64_t width = a.heads.head_columns;
  // Three tensors like x, which end as the gradients of queries, keys, values; then the scores'.
  T* first = scratch_of(data);
  T* second = first + a.elements;
  T* third = second + a.elements;
  T* scores = third + a.elements;

  times(device, {a.tokens, a.columns, a.columns}, output_gradient,
        data.parameters + a.parameter_offsets[2], second);
  device.rows(a.heads.rows(),
              kernels::SplitHeads<T>{a.heads, {second, a.elements}, {}, {first, a.elements}});
  by_head(device, a.heads,
          HeadProduct<T>{tokens, width, tokens, a.probabilities, Transpose::Yes, first,
                         Transpose::No, third});
  by_head(device, a.heads,
          HeadProduct<T>{tokens, tokens, width, first, Transpose::No, a.values, Transpose::Yes,
                         scores});
  const kernels::View<T> score_gradient{scores, a.probability_elements};
  device.rows(
      a.probability_elements / tokens,
      kernels::SoftmaxBackward<T>{
          tokens, {a.probabilities, a.probability_elements}, score_gradient, score_gradient});
  by_head(device, a.heads,
          HeadProduct<T>{tokens, width, tokens, scores, Transpose::No, a.keys, Transpose::No, first,
                         a.score_scale()});
  by_head(device, a.heads,
          HeadProduct<T>{tokens, width, tokens, scores, Transpose::Yes, a.queries, Transpose::No,
                         second, a.score_scale()});
  device.rows(a.three_parts().rows(),
              kernels::MergeHeads<T>{
                  a.three_parts(), {first, 3 * a.elements}, {a.queries, 3 * a.elements}});
}

/// The same at once. Scratch: the result's gradient and those of queries, keys and values; then
/// wide ones of queries, and a number for each row of scores.
template <ArithmeticDevice D>
void backward_fused_heads([[maybe_unused]] D& device,
                          [[maybe_unused]] const Attention<typename D::Scalar>& a,
                          [[maybe_unused]] const OperatorData<typename D::Scalar>& data,
                          [[maybe_unused]] const typename D::Scalar* output_gradient) {
  using T = typename D::Scalar;
  if constexpr (FusesAttention<D>) {
    T* const result_gradient = scratch_of(data);
    T* const projected = result_gradient + a.elements;
    auto* const queries = reinterpret_cast<kernels::Wide<T>*>(projected + 3 * a.elements);
    times(device, {a.tokens, a.columns, a.columns}, output_gradient,
          data.parameters + a.parameter_offsets[2], result_gradient);
    device.attend_backward(fused(a), FusedAttentionGradients<T>{result_gradient, projected,
                                                                queries + a.elements, queries});
    device.copy(projected, a.queries, 3 * a.elements);
  }
}

template <ArithmeticDevice D>
void backward_input_attention(D& device, const OperatorShape& shape,
                              const OperatorData<typename D::Scalar>& data,
                              const OperatorGradients<typename D::Scalar>& gradients) {
  const auto a = attention_of(device, shape, data);
  if (fuses_attention(device))
    backward_fused_heads(device, a, data, gradients.output);
  else
    backward_heads(device, a, data, gradients.output);
  if (shape.inputs[0].needs_gradient)
    times(device, {a.tokens, a.columns, 3 * a.columns}, a.queries, data.parameters,
          gradients.inputs[0]);
}

template <ArithmeticDevice D>
void backward_weight_attention(D& device, const OperatorShape& shape,
                               const OperatorData<typename D::Scalar>& data,
                               const OperatorGradients<typename D::Scalar>& gradients) {
  using T = typename D::Scalar;
  const auto a = attention_of(device, shape, data);
  const T* projected = a.queries;  // now their gradients, by token
  auto* const into = gradients.parameters;
  add_transposed_times(device, {3 * a.columns, a.columns, a.tokens}, projected, data.inputs[0],
                       into);
  add_transposed_times(device, {a.columns, a.columns, a.tokens}, gradients.output, a.result,
                       into + a.parameter_offsets[2]);
  if (!a.bias) return;
  add_column_sums(device, {a.tokens, 3 * a.columns}, projected,
                  {into + a.parameter_offsets[1], data.scratch});
  add_column_sums(device, {a.tokens, a.columns}, gradients.output,
                  {into + a.parameter_offsets[3], data.scratch});
}

}  // namespace pipegraph::operators
