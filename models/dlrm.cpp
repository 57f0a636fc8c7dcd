#include "models/dlrm.h"

#include <fmt/format.h>

#include "core/base/errors.h"
#include "models/dense_stack.h"

namespace pipegraph {

namespace {

bool uses_dot_products(const FamilyArguments& arguments) {
  return arguments.at("interaction") != 0;
}

DenseStack hidden_layers(const FamilyArguments& arguments, std::int64_t layers) {
  return {.layers = layers,
          .columns = arguments.at("hidden"),
          .bias = arguments.at("bias") != 0,
          .activation = dense_activation_of(arguments)};
}

Tensor dense_branch(GraphBuilder& builder, const FamilyArguments& arguments, std::int64_t branch) {
  const std::string prefix = fmt::format("dense{}.", branch);
  DenseStack stack = hidden_layers(arguments, arguments.at("dense_layers"));
  Tensor x = feature_input(builder, prefix + "input", 1, arguments.at("dense_features"));
  if (!uses_dot_products(arguments)) return dense_stack(builder, prefix + "layer", x, stack);
  --stack.layers;
  x = dense_stack(builder, prefix + "layer", x, stack);
  return linear(
      builder, fmt::format("{}layer{}", prefix, stack.layers), x,
      {.columns = arguments.at("embedding"), .bias = stack.bias, .activation = stack.activation});
}

Tensor sparse_branch(GraphBuilder& builder, const FamilyArguments& arguments, std::int64_t branch) {
  const std::string prefix = fmt::format("sparse{}.", branch);
  const Tensor indices =
      index_input(builder, prefix + "input", arguments.at("bag"), arguments.at("table_rows"));
  return embedding_bag(builder, prefix + "bag", indices,
                       {.columns = arguments.at("embedding"),
                        .pooling = arguments.at("pooling") == 0 ? Pooling::Concat : Pooling::Sum});
}

ComputationGraph build_dlrm(const FamilyArguments& arguments) {
  const bool dot = uses_dot_products(arguments);
  if (dot && arguments.at("pooling") == 0)
    throw ConfigError(arguments.position(),
                      "interaction: dot multiplies features of equal width, which pooling: concat "
                      "does not give",
                      "pooling: sum");
  GraphBuilder builder(arguments.name(), arguments.precision(), arguments.position());
  std::vector<Tensor> features;
  for (std::int64_t i = 0; i < arguments.at("dense_branches"); ++i)
    features.push_back(dense_branch(builder, arguments, i));
  for (std::int64_t i = 0; i < arguments.at("sparse_branches"); ++i)
    features.push_back(sparse_branch(builder, arguments, i));
  const Tensor joined =
      dot ? dot_interaction(builder, "interaction", features) : concat(builder, "concat", features);
  const Tensor top = dense_stack(builder, "top.layer", joined,
                                 hidden_layers(arguments, arguments.at("top_layers")));
  mean_squared_error(
      builder, "loss",
      linear(builder, "output", top,
             {.columns = arguments.at("outputs"), .bias = arguments.at("bias") != 0}));
  return std::move(builder).finish();
}

}  // namespace

Family dlrm() {
  Family family;
  family.name = "dlrm";
  family.description = "dense branches and bags of embeddings, joined, and a top (DLRM)";
  family.parameters = {
      count_parameter("dense_branches", 7, "branches of dense features"),
      count_parameter("dense_layers", 4, "layers of each dense branch"),
      count_parameter("hidden", 4096, "columns of every hidden layer"),
      count_parameter("dense_features", 4096, "columns of each dense input"),
      count_parameter("sparse_branches", 7, "embedding tables"),
      count_parameter("table_rows", 1'000'000, "rows of each table"),
      count_parameter("embedding", 64, "columns of each table"),
      count_parameter("bag", 100, "indices per sample and table"),
      choice_parameter("pooling", {"concat", "sum"}, "how a bag's rows become one"),
      choice_parameter("interaction", {"concat", "dot"}, "how branches are joined"),
      count_parameter("top_layers", 4, "hidden layers after the join"),
      count_parameter("outputs", 1, "columns of the output"),
      flag_parameter("bias", "whether the layers have one"),
      dense_activation_parameter()};
  family.parameters[12].fallback = 1;
  family.build = build_dlrm;
  return family;
}

}  // namespace pipegraph
