// Attention by cuDNN against attention in double, and what is refused.
#include "exec/cuda/cudnn_attention.h"

#include <gmock/gmock.h>
#include <gtest/gtest-spi.h>

#include "tests/exec/cuda/bf16_operator_run.h"
#include "tests/exec/cuda/cudnn_ground.h"

namespace pipegraph::test {
namespace {

using testing::HasSubstr;

using CudnnAttentions = WithCudnn<OnGpus<testing::Test>>;

OperatorCase attention_case(std::int64_t tokens, OperatorArithmetic op, std::int64_t samples) {
  op.kind = Arithmetic::Attention;
  op.rows = tokens;
  return {"attention", {op, {{op.rows, op.columns}}}, samples};
}

void expect_fused_as_in_double(const OperatorCase& op) {
  CudaDevice gpu({.precision = ProductPrecision::Bf16});
  CudaBf16Device device(gpu);
  CudnnAttention attention(gpu.stream());
  attention.plan(attention_shape(op.shape.arithmetic, op.samples));
  const GpuMemory workspace = allocate_on_device(attention.workspace());
  attention.use_workspace(workspace.get());
  device.fuse_attention(attention);
  expect_as_in_double(op, gpu, device);
}

TEST_F(CudnnAttentions, AgreeWithDouble) {
  for (const bool causal : {false, true})
    for (const bool bias : {false, true}) {
      SCOPED_TRACE(testing::Message() << "causal " << causal << ", bias " << bias);
      expect_fused_as_in_double(
          attention_case(16, {.columns = 32, .heads = 2, .causal = causal, .bias = bias}, 2));
    }
}

// The fewest tokens; a number that no tile divides; one sample and head.
TEST_F(CudnnAttentions, AgreeWithDoubleAtTheEdges) {
  expect_fused_as_in_double(attention_case(8, {.columns = 8, .heads = 1, .causal = true}, 1));
  expect_fused_as_in_double(attention_case(19, {.columns = 24, .heads = 3, .causal = true}, 3));
}

#ifdef PIPEGRAPH_CUDA_STAND_IN
// Of which cuDNN expects zeros.
TEST_F(CudnnAttentions, AreWrongWhereGradientsAddUpOnWhatWasThere) {
  cuda_stand_in::forget_calls("cudaMemsetAsync");
  testing::TestPartResultArray failures;
  {
    const testing::ScopedFakeTestPartResultReporter reporter(
        testing::ScopedFakeTestPartResultReporter::INTERCEPT_ONLY_CURRENT_THREAD, &failures);
    expect_fused_as_in_double(attention_case(8, {.columns = 8, .heads = 1}, 1));
  }
  EXPECT_GT(failures.size(), 0);
}
#endif

ComputationGraph graph_of(const OperatorCase& op) {
  Operator input{.name = "x"};
  input.arithmetic = {.kind = Arithmetic::Input,
                      .rows = op.shape.arithmetic.rows,
                      .columns = op.shape.arithmetic.columns};
  Operator attention{.name = "attend", .inputs = {OperatorId{0}}};
  attention.arithmetic = op.shape.arithmetic;
  return ComputationGraph("graph", {input, attention});
}

std::string refusal_of(const OperatorCase& op, Precision precision = Precision::Bf16) {
  try {
    check_attention(GpuAttention::Cudnn, graph_of(op), precision);
  } catch (const ConfigError& error) {
    return error.what();
  }
  return "";
}

TEST(AttentionByCudnn, IsRefusedForWhatItDoesNotTake) {
  const OperatorCase good = attention_case(8, {.columns = 16, .heads = 2}, 1);
  EXPECT_EQ(refusal_of(good), "");
  EXPECT_THAT(refusal_of(good, Precision::Tf32),
              HasSubstr("--attention: cuDNN's attention is for bf16, training.precision is tf32; "
                        "expected --attention own, or training.precision: bf16"));
  EXPECT_THAT(refusal_of(attention_case(8, {.columns = 24, .heads = 2}, 1)),
              HasSubstr("'attend' has 1 samples of 8 tokens, 2 heads of 12 columns, which cuDNN's "
                        "attention does not take"));
  EXPECT_NE(refusal_of(attention_case(7, {.columns = 16, .heads = 2}, 1)), "");
  EXPECT_NE(refusal_of(attention_case(8, {.columns = 272, .heads = 2}, 1)), "");
  EXPECT_EQ(refusal_of(attention_case(8, {.columns = 256, .heads = 2}, 1)), "");
}

TEST(AttentionByCudnn, OfOurOwnIsNeverRefused) {
  const OperatorCase odd = attention_case(3, {.columns = 6, .heads = 2}, 1);
  EXPECT_NO_THROW(check_attention(GpuAttention::Own, graph_of(odd), Precision::Fp32));
}

}  // namespace
}  // namespace pipegraph::test
