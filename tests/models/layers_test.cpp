// Work and traffic of single operators, in fp32: 4 bytes an element.
#include "models/layers.h"

#include <gtest/gtest.h>

#include "core/base/errors.h"

namespace pipegraph {
namespace {

using Products = std::vector<MatrixProduct>;
constexpr auto k_inner = ProductScaling::Inner;

class Layers : public ::testing::Test {
 protected:
  Operator op(const Tensor& tensor) const { return builder_.at(tensor.producer); }
  /// [rows, columns] with a gradient: a linear layer on an input.
  Tensor hidden(std::int64_t rows, std::int64_t columns) {
    const Tensor input = feature_input(builder_, "input", rows, 1);
    return linear(builder_, "hidden", input, {.columns = columns});
  }

  GraphBuilder builder_{"m", Precision::Fp32, {}};
};

TEST_F(Layers, InputsHaveSizesButNoWork) {
  const Operator features = op(feature_input(builder_, "f", 2, 3));
  EXPECT_EQ(features.output, Bytes{24});
  EXPECT_TRUE(features.forward.empty());
  EXPECT_TRUE(features.backward.empty());
  const Operator indices = op(index_input(builder_, "i", 7, 100));
  EXPECT_EQ(indices.output, Bytes{28});
  EXPECT_EQ(indices.arithmetic.table_rows, 100);
}

TEST_F(Layers, LinearMultipliesAndReadsItsParametersOncePerPass) {
  const Tensor x = hidden(2, 3);
  const Operator linear_op = op(linear(builder_, "l", x, {.columns = 5}));

  EXPECT_EQ(linear_op.parameters, Bytes{4 * (3 * 5 + 5)});
  EXPECT_EQ(linear_op.output, Bytes{4 * 10});
  EXPECT_EQ(linear_op.forward.products, (Products{{2, 5, 3}}));
  EXPECT_EQ(linear_op.forward.bytes, Bytes{4 * (6 + 10)});
  EXPECT_EQ(linear_op.forward.fixed_bytes, Bytes{80});
  EXPECT_EQ(linear_op.backward_input->products, (Products{{2, 3, 5}}));
  EXPECT_EQ(linear_op.backward_input->bytes, Bytes{4 * (10 + 6)});
  EXPECT_EQ(linear_op.backward_input->fixed_bytes, Bytes{80});
  EXPECT_EQ(linear_op.backward_weight->products, (Products{{3, 5, 2, k_inner}}));
  EXPECT_EQ(linear_op.backward_weight->bytes, Bytes{4 * (6 + 10)});
  EXPECT_EQ(linear_op.backward_weight->fixed_bytes, Bytes{160});
}

TEST_F(Layers, ReluKeepsItsArgumentOnlyWhereTheOutputDoesNotShowItsMask) {
  const Tensor x = hidden(2, 3);
  const Tensor y = linear(builder_, "y", x, {.columns = 5, .activation = Activation::Relu});
  EXPECT_EQ(op(y).internal, Bytes{0});
  const Operator fused =
      op(linear(builder_, "z", x, {.columns = 5, .activation = Activation::Relu, .residual = y}));
  EXPECT_EQ(fused.internal, Bytes{4 * 10});
}

TEST_F(Layers, LinearOnAnInputHasNoInputGradient) {
  const Tensor x = feature_input(builder_, "x", 2, 3);
  const Operator first = op(linear(builder_, "l", x, {.columns = 5, .bias = false}));
  EXPECT_TRUE(first.backward_input->empty());
  EXPECT_EQ(first.parameters, Bytes{60});
  EXPECT_EQ(first.backward_weight->fixed_bytes, Bytes{120});
}

TEST_F(Layers, LinearWithGeluAndResidualMovesMore) {
  const Tensor x = hidden(2, 5);
  const LinearOptions options{
      .columns = 5, .bias = false, .activation = Activation::Gelu, .residual = x};
  const Tensor y = hidden(2, 3);
  const Operator fused = op(linear(builder_, "l", y, options));

  // Input 6, output 10, residual 10, argument of GELU 10.
  EXPECT_EQ(fused.forward.bytes, Bytes{4 * 36});
  EXPECT_EQ(fused.internal, Bytes{40});
  // Output's gradient 10, argument 10, input's gradient 6, residual's gradient 10.
  EXPECT_EQ(fused.backward_input->bytes, Bytes{4 * 36});
  EXPECT_EQ(fused.inputs, (std::vector<OperatorId>{y.producer, x.producer}));
  EXPECT_THROW(linear(builder_, "bad", y, {.columns = 4, .residual = x}), InternalError);
}

TEST_F(Layers, LayerNormIsAllTraffic) {
  const Operator norm = op(layer_norm(builder_, "n", hidden(2, 3)));
  EXPECT_EQ(flops(norm.forward).count, 0.0);
  EXPECT_EQ(norm.parameters, Bytes{4 * 6});
  EXPECT_EQ(norm.forward.bytes, Bytes{4 * 12});
  EXPECT_EQ(norm.backward_input->bytes, Bytes{4 * 18});
  EXPECT_EQ(norm.backward_weight->bytes, Bytes{4 * 12});
}

TEST_F(Layers, AttentionHasFourProjectionsAndTwoProductsOfItsHeads) {
  // T = 3, h = 8, a = 2: heads of 4 columns.
  const Operator attend = op(attention(builder_, "a", hidden(3, 8), {.heads = 2}));
  EXPECT_EQ(attend.parameters, Bytes{4 * (4 * 64 + 4 * 8)});
  EXPECT_EQ(attend.forward.products, (Products{{3, 24, 8}, {6, 3, 4}, {6, 4, 3}, {3, 8, 8}}));
  // 8 T h^2 + 4 T^2 h = 1536 + 288 forward.
  EXPECT_EQ(flops(attend.forward).count, 1824.0);
  // Backward: the input's gradient 8 T h^2 + 8 T^2 h, the weights' 8 T h^2.
  EXPECT_EQ(flops(*attend.backward_input).count, 1536.0 + 576.0);
  EXPECT_EQ(flops(*attend.backward_weight).count, 1536.0);
  // 4 T h + a T^2 = 96 + 18 elements kept.
  EXPECT_EQ(attend.internal, Bytes{4 * 114});
  // 10 T h + 4 a T^2 = 240 + 72, 14 T h + 7 a T^2 = 336 + 126, 6 T h = 144.
  EXPECT_EQ(attend.forward.bytes, Bytes{4 * 312});
  EXPECT_EQ(attend.backward_input->bytes, Bytes{4 * 462});
  EXPECT_EQ(attend.backward_weight->bytes, Bytes{4 * 144});
}

TEST_F(Layers, EmbeddingsMoveOnlyTheRowsTheyLookUp) {
  const Tensor indices = index_input(builder_, "i", 3, 1000);
  const Operator table = op(embedding(builder_, "e", indices, 8));
  EXPECT_EQ(table.parameters, Bytes{4 * 8000});
  EXPECT_EQ(table.forward.bytes, Bytes{12 + 4 * (24 + 24)});
  EXPECT_EQ(table.forward.fixed_bytes, Bytes{0});
  EXPECT_TRUE(table.backward_input->empty());
  EXPECT_EQ(table.backward_weight->bytes, Bytes{12 + 4 * (24 + 48)});
}

TEST_F(Layers, BagsPoolTheirRows) {
  const Tensor indices = index_input(builder_, "i", 3, 1000);
  const Operator wide = op(embedding_bag(builder_, "c", indices, {.columns = 8}));
  const Operator sum =
      op(embedding_bag(builder_, "s", indices, {.columns = 8, .pooling = Pooling::Sum}));
  EXPECT_EQ(wide.arithmetic.columns, 24);
  EXPECT_EQ(sum.arithmetic.columns, 8);
  EXPECT_EQ(sum.forward.bytes, Bytes{12 + 4 * (24 + 8)});
  EXPECT_EQ(sum.backward_weight->bytes, Bytes{12 + 4 * (8 + 48)});
  EXPECT_EQ(sum.arithmetic.indices, 3);
}

TEST_F(Layers, PositionsAreReadOncePerPass) {
  const Operator positions = op(position_embedding(builder_, "p", hidden(2, 3)));
  EXPECT_EQ(positions.parameters, Bytes{24});
  EXPECT_EQ(positions.forward.bytes, Bytes{48});
  EXPECT_EQ(positions.forward.fixed_bytes, Bytes{24});
  EXPECT_EQ(positions.backward_weight->fixed_bytes, Bytes{48});
}

TEST_F(Layers, AddReturnsAGradientToThoseThatNeedOne) {
  const Tensor x = hidden(2, 3);
  const Tensor y = feature_input(builder_, "y", 2, 3);
  EXPECT_EQ(op(add(builder_, "xx", x, layer_norm(builder_, "n", x))).backward.bytes, Bytes{72});
  EXPECT_EQ(op(add(builder_, "xy", x, y)).backward.bytes, Bytes{48});
  EXPECT_EQ(op(add(builder_, "xy2", x, y)).forward.bytes, Bytes{72});
  EXPECT_THROW(add(builder_, "bad", x, hidden(3, 2)), InternalError);
}

TEST_F(Layers, ConcatCopiesForwardAndBack) {
  const Operator both =
      op(concat(builder_, "c", {hidden(2, 3), feature_input(builder_, "y", 2, 1)}));
  EXPECT_EQ(both.arithmetic.columns, 4);
  EXPECT_EQ(both.forward.bytes, Bytes{2 * 4 * 8});
  EXPECT_EQ(both.backward.bytes, Bytes{2 * 4 * 6});
}

TEST_F(Layers, DotInteractionMultipliesAllPairs) {
  const Tensor x = hidden(1, 5);
  const Operator dot = op(dot_interaction(
      builder_, "d", {x, layer_norm(builder_, "n", x), layer_norm(builder_, "o", x)}));
  EXPECT_EQ(dot.arithmetic.columns, 5 + 3);
  EXPECT_EQ(dot.forward.products, (Products{{3, 3, 5}}));
  EXPECT_EQ(flops(dot.backward).count, 2 * flops(dot.forward).count);
}

TEST_F(Layers, LossesAreOneNumberPerSample) {
  const Tensor x = hidden(2, 3);
  const Operator squared = op(mean_squared_error(builder_, "m", x));
  const Operator entropy = op(cross_entropy(builder_, "c", x));
  EXPECT_EQ(squared.output, Bytes{4});
  EXPECT_EQ(squared.forward.bytes, Bytes{48});
  EXPECT_EQ(squared.backward.bytes, Bytes{72});
  EXPECT_EQ(entropy.forward.bytes, Bytes{48 + 8});  // two labels
}

}  // namespace
}  // namespace pipegraph
