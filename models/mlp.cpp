#include "models/mlp.h"

#include "models/dense_stack.h"

namespace pipegraph {

namespace {

ComputationGraph build_mlp(const FamilyArguments& arguments) {
  const bool bias = arguments.at("bias") != 0;
  GraphBuilder builder(arguments.name(), arguments.precision(), arguments.position());
  const Tensor input = feature_input(builder, "input", 1, arguments.at("inputs"));
  const Tensor hidden = dense_stack(builder, "layer", input,
                                    {.layers = arguments.at("layers"),
                                     .columns = arguments.at("hidden"),
                                     .bias = bias,
                                     .activation = dense_activation_of(arguments)});
  const Tensor output =
      linear(builder, "output", hidden, {.columns = arguments.at("outputs"), .bias = bias});
  mean_squared_error(builder, "loss", output);
  return std::move(builder).finish();
}

}  // namespace

Family mlp() {
  Family family;
  family.name = "mlp";
  family.description = "a chain of linear layers";
  family.parameters = {count_parameter("layers", 8, "hidden layers"),
                       count_parameter("inputs", 1024, "columns of a sample"),
                       count_parameter("hidden", 1024, "columns of every hidden layer"),
                       count_parameter("outputs", 1, "columns of the output"),
                       flag_parameter("bias", "whether the layers have one"),
                       dense_activation_parameter()};
  family.parameters[4].fallback = 1;
  family.build = build_mlp;
  return family;
}

}  // namespace pipegraph
