// Every operator's backward against central differences of its forward, in double; and the forms of
// the backward against each other.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>

#include "tests/exec/operators/operator_run.h"
#include "tests/exec/operators/reference_device.h"

namespace pipegraph::test {
namespace {

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

TEST(Gradients, AreThoseOfCentralDifferences) {
  for_each_case(operator_cases(), [](const OperatorCase& op) {
    OperatorRun<double> run(op, Values::Real);
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
  });
}

TEST(Gradients, OfParametersAreAddedToWhatIsThere) {
  for_each_case(operator_cases(), [](const OperatorCase& op) {
    OperatorRun<double> run(op, Values::Real);
    ReferenceDevice<double> device;
    for (int micro_batch = 0; micro_batch < 2; ++micro_batch) {
      forward(device, run.shape, run.data());
      backward(device, run.shape, run.data(), run.gradients());
    }
    OperatorRun<double> once(op, Values::Real);
    forward(device, once.shape, once.data());
    backward(device, once.shape, once.data(), once.gradients());
    for (std::size_t i = 0; i < once.parameter_gradients.size(); ++i)
      EXPECT_NEAR(run.parameter_gradients[i], 2.0 * once.parameter_gradients[i], 1e-13);
  });
}

/// What a stage does between the two parts of a split backward may overwrite the scratch.
TEST(Gradients, OfASplitBackwardAreThoseOfTheWholeOne) {
  for_each_case(operator_cases(), [](const OperatorCase& op) {
    OperatorRun<double> whole(op, Values::Real);
    OperatorRun<double> split(op, Values::Real);
    ReferenceDevice<double> device;
    forward(device, whole.shape, whole.data());
    backward(device, whole.shape, whole.data(), whole.gradients());
    forward(device, split.shape, split.data());
    std::fill(split.scratch.begin(), split.scratch.end(), std::nan(""));
    backward_input(device, split.shape, split.data(), split.gradients());
    std::fill(split.scratch.begin(), split.scratch.end(), std::nan(""));
    backward_weight(device, split.shape, split.data(), split.gradients());
    EXPECT_EQ(split.input_gradients, whole.input_gradients);
    EXPECT_EQ(split.parameter_gradients, whole.parameter_gradients);
  });
}

/// Sample number `sample` of `all`, with the same parameters.
OperatorRun<double> one_sample(const OperatorCase& op, const OperatorRun<double>& all,
                               std::int64_t sample) {
  OperatorCase single = op;
  single.samples = 1;
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
  return one;
}

TEST(Gradients, DoNotDependOnTheMicroBatch) {
  for_each_case(operator_cases(), [](const OperatorCase& op) {
    OperatorRun<double> all(op, Values::Real);
    ReferenceDevice<double> device;
    forward(device, all.shape, all.data());
    backward(device, all.shape, all.data(), all.gradients());

    std::vector<std::vector<double>> input_gradients(all.inputs.size());
    std::vector<double> parameter_gradients(all.parameter_gradients.size(), 0.0);
    for (std::int64_t sample = 0; sample < all.samples; ++sample) {
      OperatorRun<double> one = one_sample(op, all, sample);
      one.parameter_gradients = parameter_gradients;
      OperatorGradients<double> gradients = one.gradients();
      gradients.mini_batch = all.samples;
      forward(device, one.shape, one.data());
      backward(device, one.shape, one.data(), gradients);
      parameter_gradients = one.parameter_gradients;
      for (std::size_t i = 0; i < one.inputs.size(); ++i)
        input_gradients[i].insert(input_gradients[i].end(), one.input_gradients[i].begin(),
                                  one.input_gradients[i].end());
    }
    using ::testing::DoubleNear;
    using ::testing::Pointwise;
    for (std::size_t i = 0; i < all.inputs.size(); ++i)
      EXPECT_THAT(input_gradients[i], Pointwise(DoubleNear(1e-14), all.input_gradients[i]));
    EXPECT_THAT(parameter_gradients, Pointwise(DoubleNear(1e-13), all.parameter_gradients));
  });
}

}  // namespace
}  // namespace pipegraph::test
