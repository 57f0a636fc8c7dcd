#include "tests/exec/operators/operator_run.h"

namespace pipegraph::test {

namespace {

constexpr InputShape k_no_gradient(std::int64_t rows, std::int64_t columns) {
  return {rows, columns, false};
}

OperatorCase linear(std::string name, Activation activation, std::vector<InputShape> inputs) {
  OperatorArithmetic op{.kind = Arithmetic::Linear, .rows = 3, .columns = 5};
  op.bias = true;
  op.activation = activation;
  return {std::move(name), {op, std::move(inputs)}};
}

OperatorCase attention(std::string name, OperatorArithmetic op, InputShape input) {
  op.kind = Arithmetic::Attention;
  op.rows = input.rows;
  op.columns = input.columns;
  return {std::move(name), {op, {input}}};
}

OperatorCase bag(std::string name, Pooling pooling, std::int64_t columns) {
  return {std::move(name),
          {{.kind = Arithmetic::EmbeddingBag,
            .columns = columns,
            .table_rows = 5,
            .indices = 3,
            .pooling = pooling},
           {k_no_gradient(3, 1)}}};
}

/// [rows, columns] in and out, without parameters of its own shape.
OperatorCase plain(std::string name, Arithmetic kind, std::vector<InputShape> inputs) {
  const InputShape& first = inputs.front();
  return {std::move(name),
          {{.kind = kind, .rows = first.rows, .columns = first.columns}, std::move(inputs)}};
}

OperatorCase loss(std::string name, Arithmetic kind) {
  return {std::move(name), {{.kind = kind, .rows = 1, .columns = 1}, {{3, 6}}}};
}

std::vector<OperatorCase> linear_cases() {
  std::vector<OperatorCase> cases{
      linear("linear", Activation::None, {{3, 4}}),
      linear("linear_relu", Activation::Relu, {{3, 4}}),
      linear("linear_gelu", Activation::Gelu, {{3, 4}}),
      linear("linear_residual", Activation::None, {{3, 4}, {3, 5}}),
      linear("linear_relu_residual", Activation::Relu, {{3, 4}, {3, 5}}),
      linear("linear_gelu_residual", Activation::Gelu, {{3, 4}, {3, 5}}),
      linear("linear_relu_of_input", Activation::Relu, {k_no_gradient(3, 4)}),
      linear("linear_gelu_of_input", Activation::Gelu, {k_no_gradient(3, 4)}),
      linear("linear_gelu_fixed_residual", Activation::Gelu, {{3, 4}, k_no_gradient(3, 5)}),
      linear("linear_without_bias", Activation::None, {{3, 4}})};
  cases.back().shape.arithmetic.bias = false;
  return cases;
}

std::vector<OperatorCase> all_cases() {
  std::vector<OperatorCase> cases = linear_cases();
  const auto add = [&](OperatorCase op) { cases.push_back(std::move(op)); };
  add(plain("relu", Arithmetic::Relu, {{3, 4}}));
  add(plain("gelu", Arithmetic::Gelu, {{3, 4}}));
  add(plain("layer_norm", Arithmetic::LayerNorm, {{3, 70}}));  // more than a strip of columns
  add(plain("softmax", Arithmetic::Softmax, {{3, 5}}));
  add(attention("attention", {.heads = 2, .bias = true}, {5, 6}));
  add(attention("attention_causal", {.heads = 3, .causal = true, .bias = true}, {4, 6}));
  add(attention("attention_one_head", {.heads = 1, .bias = false}, {3, 4}));
  add(attention("attention_of_input", {.heads = 2, .bias = true}, k_no_gradient(3, 4)));
  add({"embedding",
       {{.kind = Arithmetic::Embedding, .rows = 4, .columns = 3, .table_rows = 5},
        {k_no_gradient(4, 1)}}});
  add(plain("positions", Arithmetic::PositionEmbedding, {{3, 4}}));
  add(bag("bag_concat", Pooling::Concat, 6));
  add(bag("bag_sum", Pooling::Sum, 2));
  add({"concat",
       {{.kind = Arithmetic::Concat, .rows = 2, .columns = 9}, {{2, 4}, {2, 2, false}, {2, 3}}}});
  add(plain("add", Arithmetic::Add, {{2, 4}, {2, 4}}));
  add(plain("add_of_input", Arithmetic::Add, {{2, 4}, k_no_gradient(2, 4)}));
  add({"mean", {{.kind = Arithmetic::MeanOverSequence, .rows = 1, .columns = 4}, {{4, 4}}}});
  add({"dot_interaction",
       {{.kind = Arithmetic::DotInteraction, .rows = 1, .columns = 3 + 6},
        {{1, 3}, {1, 3}, {1, 3, false}, {1, 3}}}});
  add(loss("mean_squared_error", Arithmetic::MeanSquaredError));
  add(loss("cross_entropy", Arithmetic::CrossEntropy));
  return cases;
}

}  // namespace

const std::vector<OperatorCase>& operator_cases() {
  static const std::vector<OperatorCase> cases = all_cases();
  return cases;
}

}  // namespace pipegraph::test
