// The definitions behind operator.h, for those who instantiate them for a device (one source file
// per device, for these take long to compile).
#pragma once

#include "core/base/errors.h"
#include "exec/operators/activation.h"
#include "exec/operators/attention.h"
#include "exec/operators/dot_interaction.h"
#include "exec/operators/join.h"
#include "exec/operators/layer_norm.h"
#include "exec/operators/linear.h"
#include "exec/operators/lookup.h"
#include "exec/operators/loss.h"
#include "exec/operators/operator.h"

namespace pipegraph {

template <ArithmeticDevice D>
void forward(D& device, const OperatorShape& shape, const OperatorData<typename D::Scalar>& data) {
  using namespace operators;
  switch (shape.arithmetic.kind) {
    case Arithmetic::Opaque:
      return check(false, "an operator without arithmetic is executed");
    case Arithmetic::Input:
      return;
    case Arithmetic::Linear:
      return forward_linear(device, shape, data);
    case Arithmetic::Relu:
      return forward_activation<kernels::Relu>(device, shape, data);
    case Arithmetic::Gelu:
      return forward_activation<kernels::Gelu>(device, shape, data);
    case Arithmetic::LayerNorm:
      return forward_layer_norm(device, shape, data);
    case Arithmetic::Softmax:
      return forward_softmax(device, shape, data);
    case Arithmetic::Attention:
      return forward_attention(device, shape, data);
    case Arithmetic::Embedding:
    case Arithmetic::EmbeddingBag:
      return forward_lookup(device, shape, data);
    case Arithmetic::PositionEmbedding:
      return forward_positions(device, shape, data);
    case Arithmetic::Concat:
      return forward_concat(device, shape, data);
    case Arithmetic::Add:
      return forward_add(device, shape, data);
    case Arithmetic::MeanOverSequence:
      return forward_mean(device, shape, data);
    case Arithmetic::DotInteraction:
      return forward_interaction(device, shape, data);
    case Arithmetic::MeanSquaredError:
      return forward_squared_error(device, shape, data);
    case Arithmetic::CrossEntropy:
      return forward_cross_entropy(device, shape, data);
  }
}

template <ArithmeticDevice D>
void backward_input(D& device, const OperatorShape& shape,
                    const OperatorData<typename D::Scalar>& data,
                    const OperatorGradients<typename D::Scalar>& gradients) {
  using namespace operators;
  switch (shape.arithmetic.kind) {
    case Arithmetic::Opaque:
      return check(false, "an operator without arithmetic is executed");
    case Arithmetic::Input:
    case Arithmetic::Embedding:
    case Arithmetic::EmbeddingBag:
      return;
    case Arithmetic::Linear:
      return backward_input_linear(device, shape, data, gradients);
    case Arithmetic::Relu:
      return backward_activation<kernels::Relu>(device, shape, data, gradients);
    case Arithmetic::Gelu:
      return backward_activation<kernels::Gelu>(device, shape, data, gradients);
    case Arithmetic::LayerNorm:
      return backward_input_layer_norm(device, shape, data, gradients);
    case Arithmetic::Softmax:
      return backward_softmax(device, shape, data, gradients);
    case Arithmetic::Attention:
      return backward_input_attention(device, shape, data, gradients);
    case Arithmetic::PositionEmbedding:
    case Arithmetic::Add:
      return copy_gradient(device, shape, data, gradients);
    case Arithmetic::Concat:
      return backward_concat(device, shape, data, gradients);
    case Arithmetic::MeanOverSequence:
      return backward_mean(device, shape, data, gradients);
    case Arithmetic::DotInteraction:
      return backward_interaction(device, shape, data, gradients);
    case Arithmetic::MeanSquaredError:
      return backward_squared_error(device, shape, data, gradients);
    case Arithmetic::CrossEntropy:
      return backward_cross_entropy(device, shape, data, gradients);
  }
}

template <ArithmeticDevice D>
void backward_weight(D& device, const OperatorShape& shape,
                     const OperatorData<typename D::Scalar>& data,
                     const OperatorGradients<typename D::Scalar>& gradients) {
  using namespace operators;
  switch (shape.arithmetic.kind) {
    case Arithmetic::Linear:
      return backward_weight_linear(device, shape, data, gradients);
    case Arithmetic::LayerNorm:
      return backward_weight_layer_norm(device, shape, data, gradients);
    case Arithmetic::Attention:
      return backward_weight_attention(device, shape, data, gradients);
    case Arithmetic::Embedding:
    case Arithmetic::EmbeddingBag:
      return backward_weight_lookup(device, shape, data, gradients);
    case Arithmetic::PositionEmbedding:
      return backward_weight_positions(device, shape, data, gradients);
    default:
      return;
  }
}

}  // namespace pipegraph
