#include <fmt/format.h>

#include "tests/exec/operators/operator_run.h"

namespace pipegraph::test {

namespace {

InputShape no_gradient(std::int64_t rows, std::int64_t columns) { return {rows, columns, false}; }

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
           {no_gradient(3, 1)}}};
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

/// Every activation, with and without bias, on an input with and without a gradient, alone or with
/// a residual of either kind.
std::vector<OperatorCase> linear_cases() {
  constexpr std::string_view k_activations[]{"", "_relu", "_gelu"};
  constexpr std::string_view k_residuals[]{"", "_plus_residual", "_plus_fixed_residual"};
  std::vector<OperatorCase> cases;
  for (int variant = 0; variant < 3 * 2 * 2 * 3; ++variant) {
    const int activation = variant % 3;
    const bool bias = variant / 3 % 2 == 0;
    const bool gradient = variant / 6 % 2 == 0;
    const int residual = variant / 12;
    OperatorShape shape{{.kind = Arithmetic::Linear,
                         .rows = 3,
                         .columns = 5,
                         .bias = bias,
                         .activation = static_cast<Activation>(activation)},
                        {{3, 4, gradient}}};
    if (residual > 0) shape.inputs.push_back({3, 5, residual == 1});
    cases.push_back(
        {fmt::format("linear{}{}{}{}", k_activations[activation], bias ? "" : "_without_bias",
                     gradient ? "" : "_of_input", k_residuals[residual]),
         std::move(shape)});
  }
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
  add(attention("attention_of_input", {.heads = 2, .bias = true}, no_gradient(3, 4)));
  add({"embedding",
       {{.kind = Arithmetic::Embedding, .rows = 4, .columns = 3, .table_rows = 5},
        {no_gradient(4, 1)}}});
  add(plain("positions", Arithmetic::PositionEmbedding, {{3, 4}}));
  add(bag("bag_concat", Pooling::Concat, 6));
  add(bag("bag_sum", Pooling::Sum, 2));
  add({"concat",
       {{.kind = Arithmetic::Concat, .rows = 2, .columns = 9}, {{2, 4}, {2, 2, false}, {2, 3}}}});
  add(plain("add", Arithmetic::Add, {{2, 4}, {2, 4}}));
  add(plain("add_input_second", Arithmetic::Add, {{2, 4}, no_gradient(2, 4)}));
  add(plain("add_input_first", Arithmetic::Add, {no_gradient(2, 4), {2, 4}}));
  for (const auto& [name, kind] : {std::pair{"relu_of_input", Arithmetic::Relu},
                                   {"gelu_of_input", Arithmetic::Gelu},
                                   {"softmax_of_input", Arithmetic::Softmax},
                                   {"layer_norm_of_input", Arithmetic::LayerNorm},
                                   {"positions_of_input", Arithmetic::PositionEmbedding}})
    add(plain(name, kind, {no_gradient(3, 4)}));
  add({"mean", {{.kind = Arithmetic::MeanOverSequence, .rows = 1, .columns = 4}, {{4, 4}}}});
  add({"dot_interaction",
       {{.kind = Arithmetic::DotInteraction, .rows = 1, .columns = 3 + 6},
        {{1, 3}, {1, 3}, {1, 3, false}, {1, 3}}}});
  add(loss("mean_squared_error", Arithmetic::MeanSquaredError));
  add(loss("cross_entropy", Arithmetic::CrossEntropy));
  return cases;
}

std::vector<OperatorCase> wide_cases() {
  std::vector<OperatorCase> cases;
  const auto add = [&](OperatorCase op) { cases.push_back(std::move(op)); };
  for (const Activation activation : {Activation::Relu, Activation::Gelu})
    add({"wide_linear",
         {{.kind = Arithmetic::Linear,
           .rows = 19,
           .columns = 101,
           .bias = true,
           .activation = activation},
          {{19, 83}, {19, 101}}}});
  add(attention("wide_attention", {.heads = 2, .causal = true, .bias = true}, {37, 70}));
  add(plain("wide_layer_norm", Arithmetic::LayerNorm, {{5, 199}}));
  add(plain("wide_softmax", Arithmetic::Softmax, {{5, 199}}));
  add({"wide_cross_entropy", {{.kind = Arithmetic::CrossEntropy, .columns = 1}, {{5, 199}}}});
  add({"wide_squared_error", {{.kind = Arithmetic::MeanSquaredError, .columns = 1}, {{5, 199}}}});
  add({"wide_dot_interaction",
       {{.kind = Arithmetic::DotInteraction, .columns = 67 + 3}, {{1, 67}, {1, 67}, {1, 67}}}});
  return cases;
}

}  // namespace

const std::vector<OperatorCase>& wide_operator_cases() {
  static const std::vector<OperatorCase> cases = wide_cases();
  return cases;
}

const std::vector<OperatorCase>& operator_cases() {
  static const std::vector<OperatorCase> cases = all_cases();
  return cases;
}

}  // namespace pipegraph::test
