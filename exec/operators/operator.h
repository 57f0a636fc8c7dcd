// Forward and backward of one operator on a device. A pass of a stage calls these for its
// operators, one after the other.
//
// The backward comes in two parts, in this order: backward_input writes the gradients of the
// inputs, backward_weight adds to those of the parameters. The first may replace `internal` by what
// the second needs; so both must be called, in this order, with the same data. `backward` is both.
#pragma once

#include <cstdint>
#include <span>

#include "exec/operators/device.h"
#include "exec/operators/operator_shape.h"
#include "exec/operators/parameter_layout.h"

namespace pipegraph {

/// Tensors of one operator for a number of samples, [samples, rows, columns] each; T is the
/// device's scalar, what is added up over samples is wide. Nothing is owned, and nothing may
/// overlap.
template <class T>
struct OperatorData {
  std::int64_t samples = 0;
  std::span<const T* const> inputs;           ///< by input; null where the input is indices
  const std::int32_t* indices = nullptr;      ///< of the embeddings: [samples, input rows]
  const kernels::Wide<T>* targets = nullptr;  ///< of a mean squared error: like its input
  const std::int32_t* classes = nullptr;      ///< of a cross entropy: [samples, input rows]
  T* output = nullptr;                        ///< of a loss: wide numbers
  const T* parameters = nullptr;              ///< the owner's, if tied
  T* internal = nullptr;                      ///< samples x internal_elements()
  kernels::Wide<T>* scratch = nullptr;        ///< scratch_elements()
};

/// What operators that need no wide scratch put there.
template <class T>
T* scratch_of(const OperatorData<T>& data) {
  return reinterpret_cast<T*>(data.scratch);
}
/// The output of a loss.
template <class T>
kernels::Wide<T>* losses_of(const OperatorData<T>& data) {
  return reinterpret_cast<kernels::Wide<T>*>(data.output);
}

template <class T>
struct OperatorGradients {
  const T* output = nullptr;   ///< of a loss: not read
  std::span<T* const> inputs;  ///< overwritten; null exactly where the input needs no gradient
  kernels::Wide<T>* parameters = nullptr;  ///< added to
  /// Of a loss: samples of the whole mini-batch; the gradient is that of the mean over them.
  std::int64_t mini_batch = 0;
};

/// Fills `output` and `internal`. A loss gives one number per sample: the mean over the sample's
/// elements (squared error) or rows (cross entropy). An Input has nothing to do.
template <ArithmeticDevice D>
void forward(D& device, const OperatorShape& shape, const OperatorData<typename D::Scalar>& data);

template <ArithmeticDevice D>
void backward_input(D& device, const OperatorShape& shape,
                    const OperatorData<typename D::Scalar>& data,
                    const OperatorGradients<typename D::Scalar>& gradients);

template <ArithmeticDevice D>
void backward_weight(D& device, const OperatorShape& shape,
                     const OperatorData<typename D::Scalar>& data,
                     const OperatorGradients<typename D::Scalar>& gradients);

template <ArithmeticDevice D>
void backward(D& device, const OperatorShape& shape, const OperatorData<typename D::Scalar>& data,
              const OperatorGradients<typename D::Scalar>& gradients) {
  backward_input(device, shape, data, gradients);
  backward_weight(device, shape, data, gradients);
}

}  // namespace pipegraph
