#include "models/candle_uno.h"

#include <fmt/format.h>

#include "models/dense_stack.h"

namespace pipegraph {

namespace {

ComputationGraph build_candle_uno(const FamilyArguments& arguments) {
  DenseStack stack{.layers = arguments.at("layers"),
                   .columns = arguments.at("hidden"),
                   .bias = arguments.at("bias") != 0,
                   .activation = dense_activation_of(arguments)};
  GraphBuilder builder(arguments.name(), arguments.precision(), arguments.position());
  std::vector<Tensor> ends;
  for (std::int64_t branch = 0; branch < arguments.at("branches"); ++branch) {
    const Tensor input =
        feature_input(builder, fmt::format("branch{}.input", branch), 1, arguments.at("features"));
    ends.push_back(dense_stack(builder, fmt::format("branch{}.layer", branch), input, stack));
  }
  stack.layers = arguments.at("tail_layers");
  const Tensor tail = dense_stack(builder, "tail.layer", concat(builder, "concat", ends), stack);
  const Tensor output =
      linear(builder, "output", tail, {.columns = arguments.at("outputs"), .bias = stack.bias});
  mean_squared_error(builder, "loss", output);
  return std::move(builder).finish();
}

}  // namespace

Family candle_uno() {
  Family family;
  family.name = "candle_uno";
  family.description = "feed-forward branches, concatenated, and a tail (CANDLE-Uno)";
  family.parameters = {count_parameter("branches", 7, "feature sets"),
                       count_parameter("layers", 4, "hidden layers of each branch"),
                       count_parameter("hidden", 4096, "columns of every hidden layer"),
                       count_parameter("features", 4096, "columns of each branch's input"),
                       count_parameter("tail_layers", 4, "hidden layers after the concatenation"),
                       count_parameter("outputs", 1, "columns of the output"),
                       flag_parameter("bias", "whether the layers have one"),
                       dense_activation_parameter()};
  family.build = build_candle_uno;
  return family;
}

}  // namespace pipegraph
