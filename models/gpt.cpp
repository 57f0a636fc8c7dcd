#include "models/gpt.h"

#include <fmt/format.h>

#include "models/transformer_layer.h"

namespace pipegraph {

namespace {

ComputationGraph build_gpt(const FamilyArguments& arguments) {
  TransformerLayer layer = transformer_layer_of(arguments);
  layer.causal = true;
  const std::int64_t vocabulary = arguments.at("vocabulary");
  GraphBuilder builder(arguments.name(), arguments.precision(), arguments.position());
  const Tensor tokens = index_input(builder, "tokens", arguments.at("sequence"), vocabulary);
  const Tensor embedded = embedding(builder, "embedding", tokens, arguments.at("hidden"));
  Tensor x = position_embedding(builder, "positions", embedded);
  for (std::int64_t i = 0; i < arguments.at("layers"); ++i)
    x = transformer_layer(builder, fmt::format("layer{}.", i), x, layer);
  const bool tied = arguments.at("tied_embeddings") != 0;
  const Tensor logits = linear(
      builder, "head", layer_norm(builder, "final_norm", x),
      {.columns = vocabulary, .bias = false, .tied_to = tied ? embedded.producer : OperatorId{}});
  cross_entropy(builder, "loss", logits);
  return std::move(builder).finish();
}

}  // namespace

Family gpt() {
  Family family;
  family.name = "gpt";
  family.description = "decoder-only language model, embeddings tied if wanted";
  family.parameters = transformer_parameters(1024, 1024);
  family.parameters.insert(family.parameters.begin(),
                           count_parameter("layers", 24, "transformer layers"));
  family.parameters.push_back(count_parameter("vocabulary", 50257, "rows of the token embedding"));
  family.parameters.push_back(flag_parameter(
      "tied_embeddings", "whether the head shares the token embedding's parameters"));
  family.parameters.back().fallback = 1;
  family.build = build_gpt;
  return family;
}

}  // namespace pipegraph
