// Parameters, FLOPs and activations of the feed-forward families, worked out on paper. A linear
// layer [n, k] has n k parameters (+ n with a bias) and 2 n k FLOPs forward; backward as many for
// its weights and as many for its input, unless that is the network's own input.
#include <gtest/gtest.h>

#include "core/base/errors.h"
#include "models/table.h"
#include "tests/models/totals.h"

namespace pipegraph {
namespace {

using test::activation_bytes;
using test::find_operator;

TEST(Mlp, OfHandSizeAddsUp) {
  const auto graph =
      build_family("mlp", {{"layers", 2}, {"inputs", 3}, {"hidden", 5}, {"outputs", 2}});
  // 3 x 5 + 5, 5 x 5 + 5, 5 x 2 + 2 = 62 parameters.
  EXPECT_EQ(graph.parameters().count, 4u * 62);
  // 2 x (15 + 25 + 10); backward 30 for the first layer, 2 x 50 and 2 x 20 for the others.
  EXPECT_EQ(graph.forward_flops().count, 100.0);
  EXPECT_EQ(graph.backward_flops().count, 170.0);
  // Input 3, layers 5 and 5, output 2, loss 1.
  EXPECT_EQ(activation_bytes(graph).count, 4u * 16);
}

TEST(Mlp, IsAChain) {
  const auto graph = build_family("mlp", {{"layers", 3}});
  ASSERT_EQ(graph.size(), 6u);  // input, three layers, output, loss
  for (std::size_t i = 1; i < graph.size(); ++i)
    EXPECT_EQ(graph.at(make_id<OperatorId>(i)).inputs,
              (std::vector<OperatorId>{make_id<OperatorId>(i - 1)}));
}

TEST(Mlp, WithGeluKeepsTheArguments) {
  const ParameterValues sizes{{"layers", 2}, {"hidden", 5}};
  ParameterValues gelu = sizes;
  gelu["activation"] = 1;
  EXPECT_EQ(activation_bytes(build_family("mlp", gelu)).count -
                activation_bytes(build_family("mlp", sizes)).count,
            2u * 5 * 4);
}

TEST(Towers, AreIndependentNetworksWithALossEach) {
  const auto graph = build_family(
      "towers", {{"towers", 3}, {"layers", 2}, {"inputs", 3}, {"hidden", 5}, {"outputs", 2}});
  // Three times the multilayer perceptron of the same sizes.
  EXPECT_EQ(graph.parameters().count, 3 * 4u * 62);
  EXPECT_EQ(graph.forward_flops().count, 3 * 100.0);
  EXPECT_EQ(graph.backward_flops().count, 3 * 170.0);
  EXPECT_EQ(activation_bytes(graph).count, 3 * 4u * 16);
  ASSERT_EQ(graph.size(), 3u * 5);
  for (std::size_t i = 0; i < graph.size(); ++i)
    for (const OperatorId input : graph.at(make_id<OperatorId>(i)).inputs)
      EXPECT_EQ(input.index() / 5, i / 5);  // no edge leaves a tower
  EXPECT_TRUE(find_operator(graph, "tower2.loss").inputs.size() == 1);
}

TEST(CandleUno, HasTheParametersOfThePaper) {
  const ComputationGraph graph = build_family("candle_uno");
  // 7 branches x 4 layers x 4096^2 = 469 762 048: the paper's 470 M.
  const std::uint64_t branches = 7 * 4 * 4096ULL * 4096;
  EXPECT_EQ(branches, 469'762'048u);
  // Tail: 7 x 4096 -> 4096, three of 4096 -> 4096, 4096 -> 1, no bias.
  const std::uint64_t tail = 7 * 4096ULL * 4096 + 3 * 4096ULL * 4096 + 4096;
  EXPECT_EQ(graph.parameters().count, 4 * (branches + tail));

  const double forward = 2.0 * static_cast<double>(branches + tail);
  EXPECT_EQ(graph.forward_flops().count, forward);
  // Seven first layers have no gradient of their input: 7 x 2 x 4096^2 less.
  EXPECT_EQ(graph.backward_flops().count, 2.0 * forward - 14.0 * 4096 * 4096);
}

TEST(CandleUno, KeepsEveryVector) {
  // Vectors of 4096: in each branch the input and 4 layers, 7 in the concatenation, 4 in the tail:
  // 35 + 7 + 4 = 46. Output and loss 4 B each.
  const ComputationGraph graph = build_family("candle_uno");
  EXPECT_EQ(activation_bytes(graph).count, 46u * 4096 * 4 + 8);
  EXPECT_EQ(graph.size(), 7u * 5 + 1 + 4 + 2);
}

TEST(Dlrm, JoinsFeaturesOf73472Columns) {
  const ComputationGraph graph = build_family("dlrm");
  EXPECT_EQ(find_operator(graph, "sparse0.bag").arithmetic.columns, 6400);  // 100 x 64
  EXPECT_EQ(find_operator(graph, "concat").arithmetic.columns, 73'472);     // 7 x (4096 + 6400)
}

TEST(Dlrm, HasTheParametersAndFlopsOfItsLayers) {
  const ComputationGraph graph = build_family("dlrm");
  const std::uint64_t square = 4096ULL * 4096;
  const std::uint64_t weights = 28 * square + 73'472 * 4096ULL + 3 * square + 4096;
  const std::uint64_t biases = 28 * 4096 + 4 * 4096 + 1;
  const std::uint64_t tables = 7 * 64 * 1'000'000ULL;
  EXPECT_EQ(graph.parameters().count, 4 * (weights + biases + tables));

  const double forward = 2.0 * static_cast<double>(weights);
  EXPECT_EQ(graph.forward_flops().count, forward);
  EXPECT_EQ(graph.backward_flops().count, 2.0 * forward - 14.0 * static_cast<double>(square));
}

TEST(Dlrm, KeepsEveryVector) {
  // Dense: 7 x 5 x 4096; bags 7 x 6400; concatenation 73 472; top 4 x 4096; output 1: 278 017
  // numbers. Indices 7 x 100, loss 1, of 4 B each too.
  EXPECT_EQ(activation_bytes(build_family("dlrm")).count, 4u * (278'017 + 700 + 1));
  // In two bytes: indices and loss stay as they are.
  EXPECT_EQ(activation_bytes(build_family("dlrm", {}, Precision::Fp16)).count,
            2u * 278'017 + 4u * 701);
}

TEST(Dlrm, CanInteractByDotProducts) {
  const auto graph = build_family("dlrm", {{"dense_branches", 1},
                                           {"sparse_branches", 3},
                                           {"dense_layers", 2},
                                           {"embedding", 8},
                                           {"pooling", 1},
                                           {"interaction", 1}});
  // Four vectors of 8: the first, and 4 x 3 / 2 products.
  EXPECT_EQ(find_operator(graph, "dense0.layer1").arithmetic.columns, 8);
  EXPECT_EQ(find_operator(graph, "sparse0.bag").arithmetic.columns, 8);
  EXPECT_EQ(find_operator(graph, "interaction").arithmetic.columns, 8 + 6);
}

TEST(Dlrm, RefusesDotProductsOfUnequalWidths) {
  EXPECT_THROW(build_family("dlrm", {{"interaction", 1}}), ConfigError);
}

}  // namespace
}  // namespace pipegraph
