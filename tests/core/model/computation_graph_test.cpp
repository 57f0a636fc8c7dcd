#include "core/model/computation_graph.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/support/tiny_graphs.h"

namespace pipegraph {
namespace {

using test::tiny_operator;
using ::testing::AllOf;
using ::testing::HasSubstr;
using SavedTensor = ComputationGraph::SavedTensor;

const OperatorId k_a{0}, k_b{1}, k_c{2};

std::string error_of(std::vector<Operator> operators) {
  for (std::size_t i = 0; i < operators.size(); ++i)
    operators[i].position = {"model.yaml", static_cast<int>(i) + 1, 3, "operators"};
  try {
    const ComputationGraph graph("test", std::move(operators));
  } catch (const ConfigError& error) {
    return error.what();
  }
  return "no error";
}

TEST(ComputationGraph, OrdersOperatorsAndFindsThemByName) {
  const ComputationGraph graph(
      "g", {tiny_operator("c", {k_c}), tiny_operator("a", {}), tiny_operator("b", {k_b})});

  EXPECT_EQ(graph.order(), (std::vector<OperatorId>{{1}, {2}, {0}}));
  EXPECT_EQ(graph.find("b"), OperatorId{2});
  EXPECT_EQ(graph.find("x"), std::nullopt);
  EXPECT_EQ(graph.edges().edges(), (std::vector<Digraph::Edge>{{1, 2}, {2, 0}}));
}

TEST(ComputationGraph, KeepsInputsAndOutputByDefault) {
  const ComputationGraph graph("g", {tiny_operator("a", {}, {.output = Bytes{10}}),
                                     tiny_operator("b", {k_a}, {.output = Bytes{20}}),
                                     tiny_operator("c", {k_a, k_b}, {.output = Bytes{30}})});

  EXPECT_EQ(graph.saved_tensors(k_a), (std::vector<SavedTensor>{{k_a, Bytes{10}, false}}));
  EXPECT_EQ(graph.saved_tensors(k_c),
            (std::vector<SavedTensor>{
                {k_a, Bytes{10}, false}, {k_b, Bytes{20}, false}, {k_c, Bytes{30}, false}}));
}

TEST(ComputationGraph, KeepsGivenBytesAloneAndInternalOnesBeside) {
  Operator given = tiny_operator("a", {}, {.output = Bytes{10}, .saved = Bytes{7}});
  Operator internal = tiny_operator("b", {k_a}, {.output = Bytes{20}});
  internal.internal = Bytes{5};
  const ComputationGraph graph("g", {given, internal});

  EXPECT_EQ(graph.saved_tensors(k_a), (std::vector<SavedTensor>{{k_a, Bytes{7}, true}}));
  EXPECT_EQ(graph.saved_tensors(k_b),
            (std::vector<SavedTensor>{
                {k_a, Bytes{10}, false}, {k_b, Bytes{20}, false}, {k_b, Bytes{5}, true}}));
}

TEST(ComputationGraph, CountsTiedParametersOnce) {
  Operator owner = tiny_operator("a", {}, {.parameters = Bytes{100}});
  Operator user = tiny_operator("b", {k_a}, {.parameters = Bytes{100}});
  Operator other = tiny_operator("c", {k_b}, {.parameters = Bytes{11}});
  user.tied_to = k_a;
  const ComputationGraph graph("g", {owner, user, other});

  EXPECT_EQ(graph.parameters(), Bytes{111});
  EXPECT_EQ(graph.parameter_owner(k_b), k_a);
  EXPECT_EQ(graph.parameter_owner(k_c), k_c);
}

TEST(ComputationGraph, AddsUpFlopsAndTheHalvesOfASplitBackward) {
  Operator op;
  op.name = "a";
  op.forward.flops = {5.0};
  op.forward.products = {{1, 2, 3}};  // 12
  op.backward_input.emplace().flops = {7.0};
  op.backward_weight.emplace().flops = {8.0};
  const ComputationGraph graph("g", {op});

  EXPECT_EQ(graph.forward_flops().count, 17.0);
  EXPECT_EQ(graph.backward_flops().count, 15.0);
  EXPECT_FALSE(graph.has_explicit_times());
  EXPECT_TRUE(test::chain_graph(1).has_explicit_times());
}

TEST(ComputationGraph, RefusesNamesThatAreNotOnesOwn) {
  EXPECT_THAT(error_of({tiny_operator("a", {}), tiny_operator("a", {})}),
              AllOf(HasSubstr("model.yaml:2:3"), HasSubstr("two operators 'a'")));
  EXPECT_THAT(error_of({tiny_operator("", {})}), HasSubstr("operator 0 has no name"));
  EXPECT_THAT(error_of({}), HasSubstr("no operators"));
}

TEST(ComputationGraph, RefusesWrongInputs) {
  EXPECT_THAT(error_of({tiny_operator("a", {k_b})}), HasSubstr("not there"));
  EXPECT_THAT(error_of({tiny_operator("a", {OperatorId{}})}), HasSubstr("not there"));
  EXPECT_THAT(error_of({tiny_operator("a", {}), tiny_operator("b", {k_a, k_a})}),
              HasSubstr("an input twice"));
  EXPECT_THAT(error_of({tiny_operator("a", {}), tiny_operator("b", {k_a, k_b})}),
              HasSubstr("'b' is its own input; expected other operators as inputs"));
}

TEST(ComputationGraph, PrintsTheCycle) {
  EXPECT_THAT(
      error_of({tiny_operator("a", {}), tiny_operator("b", {k_a, k_c}), tiny_operator("c", {k_b})}),
      AllOf(HasSubstr("model.yaml:2:3"), HasSubstr("b -> c -> b")));
}

TEST(ComputationGraph, RefusesTiesThatShareNothing) {
  const auto tie = [](OperatorId owner, Bytes parameters) {
    Operator op = tiny_operator("t", {}, {.parameters = parameters});
    op.tied_to = owner;
    return op;
  };
  const Operator owner = tiny_operator("owner", {}, {.parameters = Bytes{8}});
  EXPECT_EQ(error_of({owner, tie({0}, Bytes{8})}), "no error");
  EXPECT_THAT(error_of({owner, tie({0}, Bytes{9})}), HasSubstr("equal parameters"));
  EXPECT_THAT(error_of({owner, tie({1}, Bytes{8})}), HasSubstr("tied to 't'"));
  EXPECT_THAT(error_of({owner, tie({5}, Bytes{8})}), HasSubstr("not there"));
}

TEST(ComputationGraph, RefusesHalfASplitBackward) {
  Operator op = tiny_operator("a", {});
  op.backward_input.emplace();
  EXPECT_THAT(error_of({op}), HasSubstr("half of a split"));
  op.backward_weight.emplace().time = Seconds{1};
  EXPECT_THAT(error_of({op}), HasSubstr("a time for one half"));
}

TEST(ComputationGraph, RefusesTimesTooShortToCalculateWith) {
  EXPECT_THAT(error_of({tiny_operator("a", {}, {.forward = Seconds{4e-324}})}),
              HasSubstr("expected 0 s, or 1e-30 s and more"));
  EXPECT_THAT(error_of({tiny_operator("a", {}, {.backward = Seconds{1e-31}})}),
              HasSubstr("'a' takes 1e-31 s"));
  EXPECT_EQ(error_of({tiny_operator("a", {}, {.forward = Seconds{0}, .backward = Seconds{1e-30}})}),
            "no error");
}

TEST(ComputationGraph, RefusesSizesBeyondReason) {
  const Bytes half_and_more{(k_most_model_bytes.count / 2) + 1};
  EXPECT_THAT(error_of({tiny_operator("a", {}, {.output = half_and_more}),
                        tiny_operator("b", {}, {.parameters = half_and_more})}),
              AllOf(HasSubstr("model.yaml:2:3"), HasSubstr("more than 1 PiB")));
  Operator op;
  op.name = "a";
  op.forward.products = {{1, std::int64_t{1} << 40, 1}};
  EXPECT_THAT(error_of({op}), HasSubstr("dimension 1099511627776"));
  op.forward.products = {{0, 1, 1}};
  EXPECT_THAT(error_of({op}), HasSubstr("dimension 0"));
  op.forward.products.clear();
  op.forward.flops = {1e31};
  EXPECT_THAT(error_of({op}), HasSubstr("more than"));
  op.forward.flops = {-1.0};
  EXPECT_THAT(error_of({op}), HasSubstr("negative work"));
}

}  // namespace
}  // namespace pipegraph
