#include "models/operator_list.h"

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "core/base/errors.h"
#include "models/graph_builder.h"
#include "tests/models/totals.h"

namespace pipegraph {
namespace {

using test::find_operator;
using ::testing::AllOf;
using ::testing::HasSubstr;

ComputationGraph read(const std::string& text) {
  return read_operator_list(YamlValue::parse(text, "m.yaml"), "m");
}

std::string error_of(const std::string& text) {
  try {
    read(text);
  } catch (const ConfigError& error) {
    return error.what();
  }
  return "no error";
}

TEST(OperatorList, ReadsTimesAndSizes) {
  const auto graph = read(
      "- {name: a, inputs: [], forward: 1 ms, backward: 3 ms, output: 4 KiB, saved: 8 KiB}\n"
      "- {name: b, inputs: [a], forward: 1 ms, parameters: 1 MiB}\n");
  const Operator& a = find_operator(graph, "a");
  EXPECT_EQ(a.forward.time, Seconds{1e-3});
  EXPECT_EQ(a.backward.time, Seconds{3e-3});
  EXPECT_EQ(a.output, Bytes{4096});
  EXPECT_EQ(a.saved, Bytes{8192});
  const Operator& b = find_operator(graph, "b");
  EXPECT_EQ(b.backward.time, Seconds{2e-3});  // twice the forward
  EXPECT_EQ(b.parameters, Bytes{1 << 20});
  EXPECT_EQ(b.inputs, std::vector<OperatorId>{{0}});
  EXPECT_FALSE(b.saved.has_value());
}

TEST(OperatorList, ReadsWorkWithTwiceAsMuchBackward) {
  const auto graph = read(
      "- {name: a, flops: 2 GFLOP, bytes: 3 MiB}\n"
      "- {name: b, flops: 2 GFLOP, backward_flops: 1 GFLOP, bytes: 3 MiB,"
      " backward_bytes: 1 MiB}\n");
  const Operator& a = find_operator(graph, "a");
  EXPECT_EQ(a.forward.flops, Flops{2e9});
  EXPECT_EQ(a.backward.flops, Flops{4e9});
  EXPECT_EQ(a.backward.bytes, Bytes{6 << 20});
  EXPECT_EQ(find_operator(graph, "b").backward.flops, Flops{1e9});
  EXPECT_EQ(find_operator(graph, "b").backward.bytes, Bytes{1 << 20});
}

TEST(OperatorList, DerivesTheGradientsOfProducts) {
  const auto graph = read(
      "- {name: a, matmul: [2, 3, 4], parameters: 48 B}\n"
      "- {name: b, matmul: [[2, 3, 4], [5, 6, 7]]}\n"
      "- {name: c, matmul: [2, 3, 4], backward_flops: 5 FLOP}\n");
  const Operator& a = find_operator(graph, "a");
  EXPECT_EQ(a.forward.products, (std::vector<MatrixProduct>{{2, 3, 4}}));
  EXPECT_EQ(a.backward.products,
            (std::vector<MatrixProduct>{{2, 4, 3}, {4, 3, 2, ProductScaling::Inner}}));
  const Operator& b = find_operator(graph, "b");
  EXPECT_EQ(b.forward.products.size(), 2u);
  EXPECT_EQ(flops(b.backward).count, 2 * flops(b.forward).count);
  EXPECT_EQ(flops(find_operator(graph, "c").backward).count, 5.0);
}

TEST(OperatorList, ReadsSplitBackwardsTiesAndGradients) {
  const auto graph = read(
      "- {name: a, forward: 1 s, backward_input: 2 s, backward_weight: 3 s, parameters: 4 B,"
      " output_needs_gradient: false}\n"
      "- {name: b, parameters: 4 B, tied_to: a}\n");
  const Operator& a = find_operator(graph, "a");
  EXPECT_EQ(a.backward_input->time, Seconds{2});
  EXPECT_EQ(a.backward_weight->time, Seconds{3});
  EXPECT_EQ(a.backward.time, Seconds{5});
  EXPECT_FALSE(a.output_needs_gradient);
  EXPECT_EQ(graph.parameter_owner({1}), OperatorId{0});
}

TEST(OperatorList, LetsInputsNameLaterOperators) {
  const auto graph = read("- {name: b, inputs: [a]}\n- {name: a, output: 4 B}\n");
  EXPECT_EQ(graph.order(), (std::vector<OperatorId>{{1}, {0}}));
}

TEST(OperatorList, SuggestsTheNearestName) {
  EXPECT_THAT(
      error_of("- {name: encoder, output: 4 B}\n- {name: b, inputs: [encodr]}\n"),
      AllOf(HasSubstr("m.yaml:2:"), HasSubstr("no operator 'encodr'"), HasSubstr("'encoder'")));
  EXPECT_THAT(error_of("- {name: a, forwrd: 1 s}\n"), HasSubstr("'forward'"));
}

TEST(OperatorList, WantsTheSizeOfATensorThatFlows) {
  EXPECT_THAT(error_of("- {name: a}\n- {name: b, inputs: [a]}\n"),
              AllOf(HasSubstr("m.yaml:1:"), HasSubstr("missing key 'output': 'b' reads 'a'")));
}

TEST(OperatorList, RefusesTimesBesideWork) {
  EXPECT_THAT(error_of("- {name: a, forward: 1 s, flops: 1 FLOP}\n"), HasSubstr("'flops' beside"));
  EXPECT_THAT(error_of("- {name: a, flops: 1 FLOP, backward: 1 s}\n"),
              HasSubstr("'backward' without 'forward'"));
  EXPECT_THAT(error_of("- {name: a, forward: 1 s, backward_input: 1 s}\n"), HasSubstr("half"));
  EXPECT_THAT(error_of("- {name: a, forward: 1 s, backward: 2 s, backward_input: 1 s,"
                       " backward_weight: 1 s}\n"),
              HasSubstr("beside its two parts"));
}

TEST(OperatorList, RefusesImpossibleValues) {
  for (const char* keys :
       {"flops: -1 FLOP", "forward: 1", "forward: -1 s", "output: 4", "matmul: [1, 2]",
        "matmul: [0, 1, 1]", "matmul: []", "matmul: 3", "matmul: [[1, 2, 3], 4]", "inputs: a",
        "inputs: [a]", "tied_to: b", "saved: inf", "parameters: 1e30 GiB", "output: 1 EiB",
        "output_needs_gradient: 3", "unknown: 1", "flops: 1e40 FLOP"})
    EXPECT_THAT(error_of(fmt::format("- {{name: a, {}}}\n", keys)), HasSubstr("m.yaml:1:")) << keys;
  EXPECT_THAT(error_of("- {inputs: []}\n"), HasSubstr("'name'"));
  EXPECT_THAT(error_of("- a\n"), HasSubstr("m.yaml:1:"));
  EXPECT_THAT(error_of("[]\n"), HasSubstr("without operators"));
  EXPECT_THAT(error_of("- {name: a}\n- {name: a}\n"), HasSubstr("two operators 'a'"));
}

TEST(OperatorList, RefusesMoreOperatorsThanAnyPlanCouldUse) {
  std::string text;
  for (std::size_t i = 0; i <= k_most_operators; ++i) text += "- 0\n";
  EXPECT_THAT(error_of(text), HasSubstr("200001 operators"));
}

}  // namespace
}  // namespace pipegraph
