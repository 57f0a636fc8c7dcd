// The GPU's operators against the same operators in double on the host.
#include <algorithm>
#include <cmath>

#include "exec/cuda/cuda_device.h"
#include "tests/exec/cuda/device_array.h"
#include "tests/exec/cuda/gpu_ground.h"
#include "tests/exec/operators/operator_run.h"
#include "tests/exec/operators/reference_device.h"

namespace pipegraph::test {
namespace {

/// The tensors of a run on a device, and back.
class OnDevice {
 public:
  OnDevice(OperatorRun<float>& run, cudaStream_t stream) : run_(run), stream_(stream) {
    for (const std::vector<float>& input : run.inputs) inputs_.emplace_back(input, stream);
    for (const std::vector<float>& g : run.input_gradients) gradients_.emplace_back(g, stream);
  }

  OperatorData<float> data() {
    for (const auto& input : inputs_) input_pointers_.push_back(input.data());
    OperatorData<float> d;
    d.samples = run_.samples;
    d.inputs = input_pointers_;
    d.indices = indices_.data();
    d.targets = targets_.data();
    d.classes = classes_.data();
    d.output = output_.data();
    d.parameters = parameters_.data();
    d.internal = internal_.data();
    d.scratch = scratch_.data();
    return d;
  }

  OperatorGradients<float> gradients() {
    for (std::size_t i = 0; i < gradients_.size(); ++i)
      gradient_pointers_.push_back(run_.shape.inputs[i].needs_gradient ? gradients_[i].data()
                                                                       : nullptr);
    return {output_gradient_.data(), gradient_pointers_, parameter_gradients_.data(), run_.samples};
  }

  void download() const {
    run_.output = output_.download(stream_);
    run_.parameter_gradients = parameter_gradients_.download(stream_);
    for (std::size_t i = 0; i < gradients_.size(); ++i)
      run_.input_gradients[i] = gradients_[i].download(stream_);
  }

 private:
  OperatorRun<float>& run_;
  cudaStream_t stream_;
  std::vector<DeviceArray<float>> inputs_, gradients_;
  DeviceArray<std::int32_t> indices_{run_.indices, stream_}, classes_{run_.classes, stream_};
  DeviceArray<float> targets_{run_.targets, stream_}, output_{run_.output, stream_},
      parameters_{run_.parameters, stream_}, internal_{run_.internal, stream_},
      scratch_{run_.scratch, stream_}, output_gradient_{run_.output_gradient, stream_},
      parameter_gradients_{run_.parameter_gradients, stream_};
  std::vector<const float*> input_pointers_;
  std::vector<float*> gradient_pointers_;
};

/// Within `tolerance` of the largest element.
void expect_near(const std::vector<float>& actual, const std::vector<double>& expected,
                 double tolerance) {
  double largest = 1e-30;
  for (const double x : expected) largest = std::max(largest, std::abs(x));
  ASSERT_EQ(actual.size(), expected.size());
  for (std::size_t i = 0; i < expected.size(); ++i)
    EXPECT_NEAR(actual[i], expected[i], tolerance * largest) << "element " << i;
}

using CudaOperators = OnGpus<testing::Test>;

void expect_as_in_double(const OperatorCase& op, double tolerance) {
  OperatorRun<double> expected(op, Values::Real);
  ReferenceDevice<double> reference;
  forward(reference, expected.shape, expected.data());
  backward(reference, expected.shape, expected.data(), expected.gradients());

  OperatorRun<float> actual(op, Values::Real);
  CudaDevice device;
  OnDevice tensors(actual, device.stream());
  const OperatorData<float> data = tensors.data();
  forward(device, actual.shape, data);
  backward(device, actual.shape, data, tensors.gradients());
  tensors.download();

  expect_near(actual.output, expected.output, tolerance);
  expect_near(actual.parameter_gradients, expected.parameter_gradients, tolerance);
  for (std::size_t i = 0; i < actual.inputs.size(); ++i)
    expect_near(actual.input_gradients[i], expected.input_gradients[i], tolerance);
}

TEST_F(CudaOperators, AgreeWithDouble) {
  for_each_case(operator_cases(), [](const OperatorCase& op) { expect_as_in_double(op, 2e-6); });
  // The longest sums have 2 x 37 rows, one after the other: each rounds to 2^-24, at most 4.4e-6.
  for_each_case(wide_operator_cases(),
                [](const OperatorCase& op) { expect_as_in_double(op, 4.4e-6); });
}

}  // namespace
}  // namespace pipegraph::test
