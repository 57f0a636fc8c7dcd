// The GPU's operators on data of 16 bits against the same operators in double on the host, from the
// same rounded numbers.
#include "tests/exec/cuda/bf16_operator_run.h"

namespace pipegraph::test {
namespace {

using CudaBf16Operators = OnGpus<testing::Test>;

TEST_F(CudaBf16Operators, AgreeWithDouble) {
  for_each_case(operator_cases(), [](const OperatorCase& op) {
    CudaDevice gpu({.precision = ProductPrecision::Bf16});
    CudaBf16Device device(gpu);
    expect_as_in_double(op, gpu, device);
  });
}

// 300 rows of numbers up to 4 in magnitude: sums that 8 bits of mantissa do not hold, but 24 do.
TEST_F(CudaBf16Operators, AddUpGradientsOfParametersWithoutRounding) {
  const OperatorCase op{
      "tall",
      {{.kind = Arithmetic::Linear, .rows = 100, .columns = 5, .bias = true}, {{100, 4}}},
      3};
  OperatorRun<double> expected(op, Values::Whole);
  CudaDevice gpu({.precision = ProductPrecision::Bf16});
  CudaBf16Device device(gpu);
  const OnDevice tensors(expected, gpu.stream());
  backward(device, expected.shape, tensors.data(), tensors.gradients());
  run_in_double(expected);
  EXPECT_EQ(tensors.parameter_gradients(), expected.parameter_gradients);
}

}  // namespace
}  // namespace pipegraph::test
