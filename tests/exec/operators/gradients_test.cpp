// Every operator's backward against central differences of its forward, in double; and the forms of
// the backward against each other.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>

#include "tests/exec/operators/operator_run.h"
#include "tests/exec/operators/reference_device.h"

namespace pipegraph::test {
namespace {

class Gradients : public ::testing::TestWithParam<OperatorCase> {};

INSTANTIATE_TEST_SUITE_P(Operators, Gradients, ::testing::ValuesIn(operator_cases()), case_name);

/// The number whose gradient the backward claims to compute: of a loss its mean over the samples.
double scalar(OperatorRun<double>& run) {
  ReferenceDevice<double> device;
  forward(device, run.shape, run.data());
  double total = 0.0;
  for (std::size_t i = 0; i < run.output.size(); ++i)
    total += run.output[i] * (is_loss(run.shape.arithmetic) ? 1.0 / static_cast<double>(run.samples)
                                                            : run.output_gradient[i]);
  return total;
}

/// Error of a central difference: about epsilon^2 = 1e-10 by the third derivative, and 1e-16 / 1e-5
/// by rounding.
void expect_gradient_of(OperatorRun<double>& run, std::vector<double>& variables,
                        const std::vector<double>& gradient) {
  constexpr double k_epsilon = 1e-5;
  for (std::size_t i = 0; i < variables.size(); ++i) {
    const double at = variables[i];
    variables[i] = at + k_epsilon;
    const double above = scalar(run);
    variables[i] = at - k_epsilon;
    const double below = scalar(run);
    variables[i] = at;
    const double expected = (above - below) / (2.0 * k_epsilon);
    EXPECT_NEAR(gradient[i], expected, 1e-8 * std::max(1.0, std::abs(expected))) << "element " << i;
  }
}

TEST_P(Gradients, AreThoseOfCentralDifferences) {
  OperatorRun<double> run(GetParam(), Values::Real);
  ReferenceDevice<double> device;
  forward(device, run.shape, run.data());
  backward(device, run.shape, run.data(), run.gradients());
  for (std::size_t i = 0; i < run.inputs.size(); ++i) {
    SCOPED_TRACE("input " + std::to_string(i));
    if (run.shape.inputs[i].needs_gradient)
      expect_gradient_of(run, run.inputs[i], run.input_gradients[i]);
    else
      EXPECT_THAT(run.input_gradients[i], ::testing::Each(-7.0));
  }
  SCOPED_TRACE("parameters");
  expect_gradient_of(run, run.parameters, run.parameter_gradients);
}

TEST_P(Gradients, OfParametersAreAddedToWhatIsThere) {
  OperatorRun<double> run(GetParam(), Values::Real);
  ReferenceDevice<double> device;
  for (int micro_batch = 0; micro_batch < 2; ++micro_batch) {
    forward(device, run.shape, run.data());
    backward(device, run.shape, run.data(), run.gradients());
  }
  OperatorRun<double> once(GetParam(), Values::Real);
  forward(device, once.shape, once.data());
  backward(device, once.shape, once.data(), once.gradients());
  for (std::size_t i = 0; i < once.parameter_gradients.size(); ++i)
    EXPECT_NEAR(run.parameter_gradients[i], 2.0 * once.parameter_gradients[i], 1e-13);
}

/// Samples one at a time give the same output and gradients as all at once.
TEST_P(Gradients, DoNotDependOnTheMicroBatch) {
  OperatorCase single = GetParam();
  OperatorRun<double> all(GetParam(), Values::Real);
  ReferenceDevice<double> device;
  forward(device, all.shape, all.data());
  backward(device, all.shape, all.data(), all.gradients());

  single.samples = 1;
  std::vector<double> sum(all.parameter_gradients.size(), 0.0);
  for (std::int64_t sample = 0; sample < all.samples; ++sample) {
    OperatorRun<double> one(single, Values::Real);
    const auto take = [&](auto& into, const auto& from) {
      std::copy_n(from.begin() + sample * static_cast<std::int64_t>(into.size()), into.size(),
                  into.begin());
    };
    for (std::size_t i = 0; i < one.inputs.size(); ++i) take(one.inputs[i], all.inputs[i]);
    take(one.indices, all.indices);
    take(one.classes, all.classes);
    take(one.targets, all.targets);
    take(one.output_gradient, all.output_gradient);
    one.parameters = all.parameters;
    one.parameter_gradients = sum;
    OperatorGradients<double> gradients = one.gradients();
    gradients.mini_batch = all.samples;
    forward(device, one.shape, one.data());
    backward(device, one.shape, one.data(), gradients);
    sum = one.parameter_gradients;
    for (std::size_t i = 0; i < one.inputs.size(); ++i) {
      std::vector<double> expected = one.input_gradients[i];
      take(expected, all.input_gradients[i]);
      EXPECT_THAT(one.input_gradients[i],
                  ::testing::Pointwise(::testing::DoubleNear(1e-14), expected));
    }
  }
  EXPECT_THAT(sum, ::testing::Pointwise(::testing::DoubleNear(1e-13), all.parameter_gradients));
}

}  // namespace
}  // namespace pipegraph::test
