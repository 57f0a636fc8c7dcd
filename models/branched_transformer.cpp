#include "models/branched_transformer.h"

#include <fmt/format.h>

#include "models/transformer_layer.h"

namespace pipegraph {

ComputationGraph branched_transformer(const FamilyArguments& arguments, std::int64_t branches) {
  const TransformerLayer layer = transformer_layer_of(arguments);
  GraphBuilder builder(arguments.name(), arguments.precision(), arguments.position());
  std::vector<Tensor> ends;
  for (std::int64_t branch = 0; branch < branches; ++branch) {
    Tensor x = feature_input(builder, fmt::format("branch{}.input", branch),
                             arguments.at("sequence"), arguments.at("hidden"));
    for (std::int64_t i = 0; i < arguments.at("layers"); ++i)
      x = transformer_layer(builder, fmt::format("branch{}.layer{}.", branch, i), x, layer);
    ends.push_back(x);
  }
  mean_squared_error(builder, "loss", concat(builder, "concat", ends));
  return std::move(builder).finish();
}

}  // namespace pipegraph
