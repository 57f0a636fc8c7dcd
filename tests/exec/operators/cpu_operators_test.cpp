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

/// Sums of a hundred terms, and scores of about 20 in the softmax of attention, cost a digit.
void expect_agreement_with_double(const OperatorCase& op) {
  OperatorRun<double> expected(op, Values::Real);
  run_both_passes(ReferenceDevice<double>(), expected);
  OperatorRun<float> actual(op, Values::Real);
  run_both_passes(CpuDevice(), actual);
  expect_near(actual, expected, 1e-5);
}

TEST(CpuOperators, AgreeWithDouble) {
  for_each_case(operator_cases(), expect_agreement_with_double);
  for_each_case(wide_operator_cases(), expect_agreement_with_double);
}

void expect_same_bits_at_every_level(const OperatorCase& op) {
  OperatorRun<float> baseline(op, Values::Real);
  run_both_passes(CpuDevice(SimdLevel::Baseline), baseline);
  for (int level = 1; level <= static_cast<int>(machine_simd_level()); ++level) {
    OperatorRun<float> run(op, Values::Real);
    run_both_passes(CpuDevice(static_cast<SimdLevel>(level)), run);
    EXPECT_EQ(run.output, baseline.output);
    EXPECT_EQ(run.parameter_gradients, baseline.parameter_gradients);
    EXPECT_EQ(run.input_gradients, baseline.input_gradients);
  }
}

TEST(CpuOperators, HaveTheSameBitsAtEveryInstructionSet) {
  for_each_case(operator_cases(), expect_same_bits_at_every_level);
  for_each_case(wide_operator_cases(), expect_same_bits_at_every_level);
}

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

/// Sums of whole numbers below 2^24 are exact in any order.
TEST(WholeNumbers, GiveTheSameBitsInBlasAndPlainLoops) {
  for_each_case(cases_that_add_and_multiply(), [](const OperatorCase& op) {
    OperatorRun<float> plain(op, Values::Whole);
    run_both_passes(ReferenceDevice<float>(), plain);
    OperatorRun<float> actual(op, Values::Whole);
    run_both_passes(CpuDevice(), actual);
    EXPECT_EQ(actual.output, plain.output);
    EXPECT_EQ(actual.parameter_gradients, plain.parameter_gradients);
    EXPECT_EQ(actual.input_gradients, plain.input_gradients);
  });
}

}  // namespace
}  // namespace pipegraph::test
