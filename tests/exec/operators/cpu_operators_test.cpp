// The host's operators in float against the same operators in double, at every instruction set.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <cmath>

#include "exec/cpu/cpu_device.h"
#include "tests/exec/operators/operator_run.h"
#include "tests/exec/operators/reference_device.h"

namespace pipegraph::test {
namespace {

class CpuOperators : public ::testing::TestWithParam<OperatorCase> {};

INSTANTIATE_TEST_SUITE_P(Operators, CpuOperators, ::testing::ValuesIn(operator_cases()), case_name);

template <class D, class T>
void run_both_passes(D device, OperatorRun<T>& run) {
  forward(device, run.shape, run.data());
  backward(device, run.shape, run.data(), run.gradients());
}

/// Within `tolerance` of the largest element.
void expect_near(const std::vector<float>& actual, const std::vector<double>& expected,
                 double tolerance) {
  double largest = 0.0;
  for (const double x : expected) largest = std::max(largest, std::abs(x));
  ASSERT_EQ(actual.size(), expected.size());
  for (std::size_t i = 0; i < expected.size(); ++i)
    EXPECT_NEAR(actual[i], expected[i], tolerance * std::max(largest, 1e-30)) << "element " << i;
}

void expect_near(const OperatorRun<float>& actual, const OperatorRun<double>& expected,
                 double tolerance) {
  expect_near(actual.output, expected.output, tolerance);
  expect_near(actual.parameter_gradients, expected.parameter_gradients, tolerance);
  for (std::size_t i = 0; i < actual.inputs.size(); ++i)
    expect_near(actual.input_gradients[i], expected.input_gradients[i], tolerance);
}

TEST_P(CpuOperators, AgreeWithDouble) {
  OperatorRun<double> expected(GetParam(), Values::Real);
  run_both_passes(ReferenceDevice<double>(), expected);
  OperatorRun<float> actual(GetParam(), Values::Real);
  run_both_passes(CpuDevice(), actual);
  expect_near(actual, expected, 2e-6);
}

TEST_P(CpuOperators, HaveTheSameBitsAtEveryInstructionSet) {
  OperatorRun<float> baseline(GetParam(), Values::Real);
  run_both_passes(CpuDevice(SimdLevel::Baseline), baseline);
  for (int level = 1; level <= static_cast<int>(machine_simd_level()); ++level) {
    OperatorRun<float> run(GetParam(), Values::Real);
    run_both_passes(CpuDevice(static_cast<SimdLevel>(level)), run);
    EXPECT_EQ(run.output, baseline.output);
    EXPECT_EQ(run.parameter_gradients, baseline.parameter_gradients);
    EXPECT_EQ(run.input_gradients, baseline.input_gradients);
  }
}

class WholeNumbers : public ::testing::TestWithParam<OperatorCase> {};

std::vector<OperatorCase> cases_that_add_and_multiply() {
  constexpr std::array k_others{Arithmetic::Gelu, Arithmetic::LayerNorm, Arithmetic::Softmax,
                                Arithmetic::Attention, Arithmetic::CrossEntropy};
  std::vector<OperatorCase> cases;
  for (const OperatorCase& op : operator_cases())
    if (std::find(k_others.begin(), k_others.end(), op.shape.arithmetic.kind) == k_others.end() &&
        op.shape.arithmetic.activation != Activation::Gelu)
      cases.push_back(op);
  return cases;
}

INSTANTIATE_TEST_SUITE_P(Operators, WholeNumbers,
                         ::testing::ValuesIn(cases_that_add_and_multiply()), case_name);

/// Sums of whole numbers below 2^24 are exact in any order.
TEST_P(WholeNumbers, GiveTheSameBitsInBlasAndPlainLoops) {
  OperatorRun<float> plain(GetParam(), Values::Whole);
  run_both_passes(ReferenceDevice<float>(), plain);
  OperatorRun<float> actual(GetParam(), Values::Whole);
  run_both_passes(CpuDevice(), actual);
  EXPECT_EQ(actual.output, plain.output);
  EXPECT_EQ(actual.parameter_gradients, plain.parameter_gradients);
  EXPECT_EQ(actual.input_gradients, plain.input_gradients);
}

}  // namespace
}  // namespace pipegraph::test
