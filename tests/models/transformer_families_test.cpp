// Parameters, FLOPs and activations of the transformer families, worked out on paper. With T rows,
// h columns, a heads and a feed-forward part 4 h wide, one layer has
//   parameters   attention 4 h^2 + 4 h, linear 4 h^2 + 4 h and 4 h^2 + h, two norms 2 x 2 h:
//                12 h^2 + 13 h
//   FLOPs        projections 8 T h^2, linear 2 x 8 T h^2, scores and result 2 x 2 T^2 h:
//                24 T h^2 + 4 T^2 h forward, twice that backward
//   activations  outputs of norm, attention, add, norm and the last linear T h each, of the first
//                linear 4 T h, its argument 4 T h; queries, keys, values and heads' result 4 T h;
//                probabilities a T^2: 17 T h + a T^2
#include <gtest/gtest.h>

#include "models/table.h"
#include "tests/models/totals.h"

namespace pipegraph {
namespace {

using test::activation_bytes;
using test::find_operator;
using test::input_names;

constexpr std::uint64_t k_mebi = 1 << 20;
constexpr std::uint64_t k_layer_parameters = 12 * 1024 * 1024 + 13 * 1024;  // 12 596 224
// T = 256, h = 1024: 24 x 2^8 x 2^20 + 4 x 2^16 x 2^10 = 6 442 450 944 + 268 435 456
constexpr double k_layer_flops = 6'710'886'400.0;
// T h 4 B = 1 MiB, 16 T^2 4 B = 4 MiB: 17 + 4
constexpr std::uint64_t k_layer_activations = 21 * k_mebi;

TEST(MultimodalTransformer, HasTheParametersAndFlopsOfThePaper) {
  const ComputationGraph graph = build_family("multimodal_transformer");

  // 4 branches x 8 layers = 32 x 12 596 224 = 403 079 168 parameters of 4 B: about 403 M.
  EXPECT_EQ(graph.parameters().count, 4 * 32 * k_layer_parameters);
  EXPECT_EQ(32 * k_layer_parameters, 403'079'168u);
  // 32 x 6 710 886 400 forward, and 3 x that = 0.644 TFLOP forward and backward.
  EXPECT_EQ(graph.forward_flops().count, 32 * k_layer_flops);
  EXPECT_EQ(graph.backward_flops().count, 64 * k_layer_flops);
  EXPECT_NEAR(graph.forward_flops().count + graph.backward_flops().count, 0.65e12, 0.01e12);
}

TEST(MultimodalTransformer, KeepsWhatItsLayersKeep) {
  // 4 inputs of 1 MiB, 32 layers, the concatenation of 4 MiB, one 4-byte loss.
  const std::uint64_t fp32 = 4 * k_mebi + 32 * k_layer_activations + 4 * k_mebi + 4;
  EXPECT_EQ(activation_bytes(build_family("multimodal_transformer")).count, fp32);
  // Two bytes an element: half, but for the loss.
  const auto bf16 = build_family("multimodal_transformer", {}, Precision::Bf16);
  EXPECT_EQ(activation_bytes(bf16).count, (fp32 - 4) / 2 + 4);
  EXPECT_EQ(bf16.parameters().count, 2 * 32 * k_layer_parameters);
}

TEST(MultimodalTransformer, WithReluKeepsNoArgument) {
  // 32 layers x 4 T h = 4 MiB less.
  const auto gelu = activation_bytes(build_family("multimodal_transformer"));
  const auto relu = activation_bytes(build_family("multimodal_transformer", {{"activation", 1}}));
  EXPECT_EQ(gelu.count - relu.count, 32 * 4 * k_mebi);
}

TEST(MultimodalTransformer, JoinsItsBranchesAtTheEnd) {
  const auto graph = build_family("multimodal_transformer", {{"branches", 3}, {"layers", 2}});
  EXPECT_EQ(graph.size(), 3u * (1 + 2 * 6) + 2);  // inputs, layers of six; concat and loss
  EXPECT_EQ(graph.edges().sources().size(), 3u);
  EXPECT_EQ(graph.edges().sinks().size(), 1u);
  EXPECT_EQ(
      input_names(graph, "concat"),
      (std::vector<std::string>{"branch0.layer1.feed_forward_2", "branch1.layer1.feed_forward_2",
                                "branch2.layer1.feed_forward_2"}));
  EXPECT_EQ(find_operator(graph, "concat").arithmetic.columns, 3 * 1024);
}

TEST(MultimodalTransformer, ConnectsNormsAndResiduals) {
  const auto graph = build_family("multimodal_transformer", {{"branches", 1}, {"layers", 1}});
  using Names = std::vector<std::string>;
  EXPECT_EQ(input_names(graph, "branch0.layer0.norm_1"), Names{"branch0.input"});
  EXPECT_EQ(input_names(graph, "branch0.layer0.attention"), Names{"branch0.layer0.norm_1"});
  EXPECT_EQ(input_names(graph, "branch0.layer0.add"),
            (Names{"branch0.input", "branch0.layer0.attention"}));
  EXPECT_EQ(input_names(graph, "branch0.layer0.norm_2"), Names{"branch0.layer0.add"});
  EXPECT_EQ(input_names(graph, "branch0.layer0.feed_forward_1"), Names{"branch0.layer0.norm_2"});
  EXPECT_EQ(input_names(graph, "branch0.layer0.feed_forward_2"),
            (Names{"branch0.layer0.feed_forward_1", "branch0.layer0.add"}));
}

TEST(TwoBranchTransformer, IsEightLayersInTwoBranches) {
  const ComputationGraph graph = build_family("two_branch_transformer");
  EXPECT_EQ(graph.size(), 2u * (1 + 4 * 6) + 2);
  EXPECT_EQ(graph.parameters().count, 4 * 8 * k_layer_parameters);
  EXPECT_EQ(graph.forward_flops().count, 8 * k_layer_flops);
  EXPECT_EQ(graph.backward_flops().count, 16 * k_layer_flops);
  // 2 inputs of 1 MiB, 8 layers, the concatenation of 2 MiB, the loss.
  EXPECT_EQ(activation_bytes(graph).count, 2 * k_mebi + 8 * k_layer_activations + 2 * k_mebi + 4);
}

TEST(Gpt, IsGpt2MediumByDefault) {
  const ComputationGraph graph = build_family("gpt");
  // 24 layers, 50257 x 1024 token and 1024 x 1024 position embeddings, a norm of 2 x 1024:
  // 302 309 376 + 51 463 168 + 1 048 576 + 2 048.
  EXPECT_EQ(graph.parameters().count, 4 * std::uint64_t{354'823'168});
  // T = 1024: a layer 24 x 2^30 + 4 x 2^30 = 28 x 2^30; the head 2 T h V = 2^21 x 50257.
  const double forward = 24.0 * 28.0 * 1073741824.0 + 2097152.0 * 50257.0;
  EXPECT_EQ(graph.forward_flops().count, forward);
  EXPECT_EQ(graph.backward_flops().count, 2 * forward);
}

TEST(Gpt, KeepsWhatItsLayersKeep) {
  // T h 4 B = 4 MiB, 16 T^2 4 B = 64 MiB: a layer 17 x 4 + 64 = 132 MiB. Tokens 4 KiB; embedding,
  // positions, last norm 4 MiB each; logits T V 4 B; loss 4 B.
  EXPECT_EQ(activation_bytes(build_family("gpt")).count,
            24 * 132 * k_mebi + 4096 + 3 * 4 * k_mebi + 4096 * std::uint64_t{50257} + 4);
}

TEST(Gpt, SharesTheEmbeddingUnlessToldNotTo) {
  const auto tied = build_family("gpt", {{"layers", 1}});
  const auto untied = build_family("gpt", {{"layers", 1}, {"tied_embeddings", 0}});
  EXPECT_EQ(tied.parameter_owner(*tied.find("head")), tied.find("embedding"));
  EXPECT_EQ(untied.parameter_owner(*untied.find("head")), untied.find("head"));
  EXPECT_EQ(untied.parameters().count - tied.parameters().count, 4u * 50257 * 1024);
}

TEST(Gpt, IsCausalAndSendsNoGradientToItsTokens) {
  const auto graph = build_family("gpt", {{"layers", 1}});
  EXPECT_TRUE(find_operator(graph, "layer0.attention").arithmetic.causal);
  EXPECT_FALSE(find_operator(graph, "tokens").output_needs_gradient);
  EXPECT_TRUE(find_operator(graph, "embedding").output_needs_gradient);
  EXPECT_EQ(find_operator(graph, "tokens").arithmetic.table_rows, 50257);
}

}  // namespace
}  // namespace pipegraph
