#include "models/towers.h"

#include <fmt/format.h>

#include "models/dense_stack.h"

namespace pipegraph {

namespace {

ComputationGraph build_towers(const FamilyArguments& arguments) {
  const DenseStack stack{.layers = arguments.at("layers"),
                         .columns = arguments.at("hidden"),
                         .bias = arguments.at("bias") != 0,
                         .activation = dense_activation_of(arguments)};
  GraphBuilder builder(arguments.name(), arguments.precision(), arguments.position());
  for (std::int64_t i = 0; i < arguments.at("towers"); ++i) {
    const std::string tower = fmt::format("tower{}", i);
    const Tensor input = feature_input(builder, tower + ".input", 1, arguments.at("inputs"));
    const Tensor hidden = dense_stack(builder, tower + ".layer", input, stack);
    const Tensor output = linear(builder, tower + ".output", hidden,
                                 {.columns = arguments.at("outputs"), .bias = stack.bias});
    mean_squared_error(builder, tower + ".loss", output);
  }
  return std::move(builder).finish();
}

}  // namespace

Family towers() {
  Family family;
  family.name = "towers";
  family.description = "independent feed-forward networks, each with a loss of its own";
  family.parameters = {count_parameter("towers", 2, "networks"),
                       count_parameter("layers", 4, "hidden layers of each"),
                       count_parameter("inputs", 1024, "columns of a sample"),
                       count_parameter("hidden", 1024, "columns of every hidden layer"),
                       count_parameter("outputs", 1, "columns of the output"),
                       flag_parameter("bias", "whether the layers have one"),
                       dense_activation_parameter()};
  family.parameters[5].fallback = 1;
  family.build = build_towers;
  return family;
}

}  // namespace pipegraph
