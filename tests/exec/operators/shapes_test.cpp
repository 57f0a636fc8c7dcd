// Sizes of what operators touch, against what the models state; and that the cases which the other
// tests run are all there is.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <set>
#include <tuple>

#include "core/base/errors.h"
#include "exec/operators/parameter_layout.h"
#include "models/table.h"
#include "tests/exec/operators/operator_run.h"

namespace pipegraph::test {
namespace {

using ::testing::HasSubstr;

/// What an implementation may branch on.
using Form = std::tuple<Arithmetic, Activation, bool, bool, bool, Pooling, std::size_t>;

Form form_of(const OperatorShape& shape) {
  const OperatorArithmetic& op = shape.arithmetic;
  const bool joins = op.kind == Arithmetic::Concat || op.kind == Arithmetic::DotInteraction;
  return {op.kind,
          op.activation,
          op.causal,
          op.bias,
          shape.inputs.front().needs_gradient,
          op.kind == Arithmetic::EmbeddingBag ? op.pooling : Pooling::Concat,
          joins ? 0 : shape.inputs.size()};
}

/// Every family with every choice of its parameters that are choices.
std::vector<ComputationGraph> all_family_graphs(Precision precision = Precision::Fp32) {
  std::vector<ComputationGraph> graphs;
  for (const Family& family : families())
    for (const FamilyParameter& parameter : family.parameters) {
      if (!parameter.is_choice()) continue;
      for (std::size_t choice = 0; choice < parameter.choices.size(); ++choice) {
        ParameterValues values{{parameter.name, static_cast<std::int64_t>(choice)}};
        if (parameter.name == "interaction") values["pooling"] = 1;  // dot needs sums
        graphs.push_back(build_family(family.name, values, precision));
      }
    }
  return graphs;
}

TEST(OperatorCases, CoverEveryFormThatAFamilyProduces) {
  std::set<Form> covered;
  for (const OperatorCase& op : operator_cases()) covered.insert(form_of(op.shape));
  std::set<Arithmetic> kinds;
  for (const ComputationGraph& graph : all_family_graphs())
    for (std::size_t i = 0; i < graph.size(); ++i) {
      const OperatorShape shape = operator_shape(graph, make_id<OperatorId>(i));
      if (shape.arithmetic.kind == Arithmetic::Input) continue;
      kinds.insert(shape.arithmetic.kind);
      EXPECT_TRUE(covered.contains(form_of(shape)))
          << graph.name() << ": " << graph.operators()[i].name;
    }
  EXPECT_GE(kinds.size(), 10u);
}

TEST(OperatorCases, CoverEveryKindOfArithmetic) {
  std::set<Arithmetic> covered{Arithmetic::Opaque, Arithmetic::Input};
  for (const OperatorCase& op : operator_cases()) covered.insert(op.shape.arithmetic.kind);
  for (int kind = 0; kind <= static_cast<int>(Arithmetic::CrossEntropy); ++kind)
    EXPECT_TRUE(covered.contains(static_cast<Arithmetic>(kind))) << kind;
}

TEST(OperatorShapes, HaveTheBytesThatEveryFamilyStates) {
  for (const ComputationGraph& graph : all_family_graphs())
    EXPECT_NO_THROW(check_executable(graph));
  for (const ComputationGraph& graph : all_family_graphs(Precision::Bf16))
    EXPECT_NO_THROW(check_executable(graph, Bytes{2}));
}

std::string refusal_of(const ComputationGraph& graph) {
  try {
    check_executable(graph);
  } catch (const ConfigError& error) {
    return error.what();
  }
  return "accepted";
}

TEST(OperatorShapes, OfOtherPrecisionsAreRefused) {
  EXPECT_THAT(refusal_of(build_family("mlp", {}, Precision::Bf16)),
              HasSubstr("1024 elements of 4 bytes do not fill"));
  EXPECT_EQ(refusal_of(build_family("mlp", {}, Precision::Fp32Tensor)), "accepted");
}

TEST(OperatorShapes, OfOperatorsWithCostsOnlyAreRefused) {
  Operator op;
  op.name = "measured";
  op.forward.time = Seconds{1.0};
  EXPECT_THAT(refusal_of(ComputationGraph("m", {op})),
              HasSubstr("'measured' has costs but no arithmetic"));
}

TEST(ParameterLayouts, AreTensorsOneAfterTheOther) {
  for (const OperatorCase& op : operator_cases()) {
    std::int64_t offset = 0;
    std::set<std::string_view> names;
    for (const ParameterTensor& tensor : parameter_layout(op.shape)) {
      EXPECT_EQ(tensor.offset, offset) << op.name << " " << tensor.name;
      EXPECT_TRUE(names.insert(tensor.name).second) << op.name << " " << tensor.name;
      offset += tensor.elements();
    }
  }
}

/// A head reads the table of embeddings as its weight: [vocabulary, hidden] both.
TEST(ParameterLayouts, OfATiedHeadIsThatOfTheTable) {
  const ComputationGraph graph = build_family("gpt", {{"layers", 1}, {"vocabulary", 20}});
  const auto layout_of = [&](std::string_view name) {
    return parameter_layout(operator_shape(graph, *graph.find(name))).front();
  };
  EXPECT_EQ(layout_of("head").rows, 20);
  EXPECT_EQ(layout_of("head").rows, layout_of("embedding").rows);
  EXPECT_EQ(layout_of("head").columns, layout_of("embedding").columns);
}

}  // namespace
}  // namespace pipegraph::test
