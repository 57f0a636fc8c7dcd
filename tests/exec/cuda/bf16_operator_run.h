// One operator on data of 16 bits on a device, beside the same in double on the host, from the same
// rounded numbers.
#pragma once

#include <algorithm>
#include <cmath>

#include "exec/cuda/cuda_bf16_device.h"
#include "tests/exec/cuda/device_array.h"
#include "tests/exec/cuda/gpu_ground.h"
#include "tests/exec/operators/operator_run.h"
#include "tests/exec/operators/reference_device.h"

namespace pipegraph::test {

using kernels::BFloat16;

inline std::vector<BFloat16> narrow(const std::vector<double>& values) {
  std::vector<BFloat16> result;
  for (const double value : values) result.emplace_back(static_cast<float>(value));
  return result;
}
inline std::vector<float> floats(const std::vector<double>& values) {
  return {values.begin(), values.end()};
}
template <class T>
std::vector<double> doubles(const std::vector<T>& values) {
  std::vector<double> result;
  for (const T value : values) result.push_back(static_cast<double>(kernels::wide(value)));
  return result;
}

/// What a GPU gets of `run` is what it starts from itself.
inline void round_inputs(OperatorRun<double>& run) {
  const auto round = [](std::vector<double>& values) { values = doubles(narrow(values)); };
  for (std::vector<double>& input : run.inputs) round(input);
  round(run.parameters);
  round(run.output_gradient);
}

/// The tensors of a run on a device, and back.
class OnDevice {
 public:
  OnDevice(const OperatorRun<double>& run, cudaStream_t stream)
      : run_(run), stream_(stream), is_loss_(is_loss(run.shape.arithmetic)) {
    for (const std::vector<double>& input : run.inputs) inputs_.emplace_back(narrow(input), stream);
    for (const std::vector<double>& g : run.input_gradients)
      gradients_.emplace_back(narrow(g), stream);
    for (const auto& input : inputs_) input_pointers_.push_back(input.data());
    for (std::size_t i = 0; i < gradients_.size(); ++i)
      gradient_pointers_.push_back(run.shape.inputs[i].needs_gradient ? gradients_[i].data()
                                                                      : nullptr);
  }

  OperatorData<BFloat16> data() const {
    OperatorData<BFloat16> d;
    d.samples = run_.samples;
    d.inputs = input_pointers_;
    d.indices = indices_.data();
    d.targets = targets_.data();
    d.classes = classes_.data();
    d.output = is_loss_ ? reinterpret_cast<BFloat16*>(losses_.data()) : output_.data();
    d.parameters = parameters_.data();
    d.internal = internal_.data();
    d.scratch = scratch_.data();
    return d;
  }
  OperatorGradients<BFloat16> gradients() const {
    return {output_gradient_.data(), gradient_pointers_, parameter_gradients_.data(), run_.samples};
  }

  std::vector<double> output() const {
    return is_loss_ ? doubles(losses_.download(stream_)) : doubles(output_.download(stream_));
  }
  std::vector<double> input_gradient(std::size_t i) const {
    return doubles(gradients_[i].download(stream_));
  }
  std::vector<double> parameter_gradients() const {
    return doubles(parameter_gradients_.download(stream_));
  }

 private:
  const OperatorRun<double>& run_;
  cudaStream_t stream_;
  bool is_loss_;
  std::vector<DeviceArray<BFloat16>> inputs_, gradients_;
  DeviceArray<std::int32_t> indices_{run_.indices, stream_}, classes_{run_.classes, stream_};
  DeviceArray<BFloat16> output_{narrow(run_.output), stream_},
      parameters_{narrow(run_.parameters), stream_}, internal_{narrow(run_.internal), stream_},
      output_gradient_{narrow(run_.output_gradient), stream_};
  DeviceArray<float> targets_{floats(run_.targets), stream_}, losses_{floats(run_.output), stream_},
      scratch_{floats(run_.scratch), stream_},
      parameter_gradients_{floats(run_.parameter_gradients), stream_};
  std::vector<const BFloat16*> input_pointers_;
  std::vector<BFloat16*> gradient_pointers_;
};

inline void run_in_double(OperatorRun<double>& run) {
  ReferenceDevice<double> reference;
  forward(reference, run.shape, run.data());
  backward(reference, run.shape, run.data(), run.gradients());
}

inline void expect_near(const std::vector<double>& actual, const std::vector<double>& expected,
                        double tolerance, const char* what) {
  double largest = 1e-30;
  for (const double x : expected) largest = std::max(largest, std::abs(x));
  ASSERT_EQ(actual.size(), expected.size());
  for (std::size_t i = 0; i < expected.size(); ++i)
    EXPECT_NEAR(actual[i], expected[i], tolerance * largest) << what << ", element " << i;
}

// A number that is stored is off by up to 2^-9 of itself. Between an operator's inputs and what it
// gives lie at most so many stored tensors, the last included (attention: what is projected, its
// heads, scores, probabilities, the heads' result, the output; as many again backwards). Each
// passes its error on as much as the largest element of what follows it at most.
inline constexpr double k_rounding = 1.0 / 512.0;
inline double stored_between(Arithmetic kind) {
  if (kind == Arithmetic::Attention) return 12;
  return kind == Arithmetic::Linear ? 4 : 3;
}

/// Fails the running test unless the operator does on `device` what it does in double.
inline void expect_as_in_double(const OperatorCase& op, CudaDevice& gpu, CudaBf16Device& device) {
  OperatorRun<double> expected(op, Values::Real);
  round_inputs(expected);
  const OnDevice tensors(expected, gpu.stream());
  forward(device, expected.shape, tensors.data());
  backward(device, expected.shape, tensors.data(), tensors.gradients());
  run_in_double(expected);

  const double tolerance = stored_between(op.shape.arithmetic.kind) * k_rounding;
  // Losses are not rounded.
  expect_near(tensors.output(), expected.output, is_loss(op.shape.arithmetic) ? 2e-6 : tolerance,
              "output");
  expect_near(tensors.parameter_gradients(), expected.parameter_gradients, tolerance,
              "gradient of parameters");
  for (std::size_t i = 0; i < expected.inputs.size(); ++i)
    expect_near(tensors.input_gradient(i), expected.input_gradients[i], tolerance,
                "gradient of input");
}

}  // namespace pipegraph::test
