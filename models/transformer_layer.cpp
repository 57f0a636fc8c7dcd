#include "models/transformer_layer.h"

#include <fmt/format.h>

#include "core/base/errors.h"

namespace pipegraph {

Tensor transformer_layer(GraphBuilder& builder, const std::string& prefix, const Tensor& x,
                         const TransformerLayer& options) {
  const Tensor norm_1 = layer_norm(builder, prefix + "norm_1", x);
  const Tensor attended = attention(builder, prefix + "attention", norm_1,
                                    {.heads = options.heads, .causal = options.causal});
  const Tensor middle = add(builder, prefix + "add", x, attended);
  const Tensor norm_2 = layer_norm(builder, prefix + "norm_2", middle);
  const Tensor wide = linear(builder, prefix + "feed_forward_1", norm_2,
                             {.columns = options.feed_forward, .activation = options.activation});
  return linear(builder, prefix + "feed_forward_2", wide,
                {.columns = x.columns, .residual = middle});
}

std::vector<FamilyParameter> transformer_parameters(std::int64_t hidden, std::int64_t sequence) {
  return {
      count_parameter("hidden", hidden, "columns of every layer"),
      count_parameter("heads", 16, "attention heads; must divide hidden"),
      count_parameter("sequence", sequence, "rows (positions) of a sample"),
      optional_count_parameter("feed_forward",
                               "columns between a layer's linear operators; 0: 4 x hidden"),
      choice_parameter("activation", {"gelu", "relu"}, "after a layer's first linear operator")};
}

TransformerLayer transformer_layer_of(const FamilyArguments& arguments) {
  const std::int64_t hidden = arguments.at("hidden");
  TransformerLayer layer;
  layer.heads = arguments.at("heads");
  layer.feed_forward = arguments.at("feed_forward");
  if (layer.feed_forward == 0) layer.feed_forward = 4 * hidden;
  layer.activation = arguments.at("activation") == 0 ? Activation::Gelu : Activation::Relu;
  if (hidden % layer.heads != 0)
    throw ConfigError(arguments.position(),
                      fmt::format("heads: {} do not divide hidden: {}", layer.heads, hidden),
                      "heads that divide hidden");
  return layer;
}

}  // namespace pipegraph
