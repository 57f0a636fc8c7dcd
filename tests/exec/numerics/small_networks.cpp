#include "tests/exec/numerics/small_networks.h"

#include "models/layers.h"

namespace pipegraph::test {

namespace {

GraphBuilder builder(const std::string& name, Precision precision) {
  return {name, precision, SourcePosition{.file = "small_networks"}};
}

Tensor dense(GraphBuilder& builder, const std::string& name, const Tensor& x,
             std::int64_t columns = 12) {
  return linear(builder, name, x, {.columns = columns, .activation = Activation::Gelu});
}

}  // namespace

ComputationGraph dense_chain(Precision precision) {
  GraphBuilder b = builder("dense_chain", precision);
  Tensor x = feature_input(b, "x", 1, 10);
  for (int layer = 0; layer < 4; ++layer) x = dense(b, "fc" + std::to_string(layer), x);
  mean_squared_error(b, "loss", x);
  return std::move(b).finish();
}

ComputationGraph whole_number_chain(Precision precision) {
  GraphBuilder b = builder("whole_number_chain", precision);
  Tensor x = feature_input(b, "x", 1, 4);
  for (int layer = 0; layer < 4; ++layer)
    x = linear(b, "fc" + std::to_string(layer), x,
               {.columns = 4, .activation = layer < 3 ? Activation::Relu : Activation::None});
  mean_squared_error(b, "loss", x);
  return std::move(b).finish();
}

ComputationGraph diamond_network(Precision precision) {
  GraphBuilder b = builder("diamond_network", precision);
  const Tensor x = feature_input(b, "x", 1, 10);
  const Tensor stem = dense(b, "stem", x);
  const Tensor left = dense(b, "left", stem);
  const Tensor right = dense(b, "right", stem);
  const Tensor sum = add(b, "sum", left, right);
  const Tensor head = linear(b, "head", sum, {.columns = 5});
  cross_entropy(b, "loss", head);
  return std::move(b).finish();
}

ComputationGraph skipping_network(Precision precision) {
  GraphBuilder b = builder("skipping_network", precision);
  const Tensor x = feature_input(b, "x", 1, 10);
  const Tensor fc0 = dense(b, "fc0", x);
  const Tensor fc1 = dense(b, "fc1", fc0);
  const Tensor fc2 = linear(b, "fc2", fc1, {.columns = 12, .residual = fc0});
  const Tensor fc3 = dense(b, "fc3", fc2);
  const Tensor join = concat(b, "join", {fc3, fc0});
  const Tensor head = linear(b, "head", join, {.columns = 3});
  mean_squared_error(b, "loss", head);
  return std::move(b).finish();
}

ComputationGraph tied_network(Precision precision) {
  GraphBuilder b = builder("tied_network", precision);
  const Tensor tokens = index_input(b, "tokens", 4, 11);
  const Tensor table = embedding(b, "table", tokens, 8);
  const Tensor norm = layer_norm(b, "norm", table);
  const Tensor middle = dense(b, "middle", norm, 8);
  const Tensor head =
      linear(b, "head", middle, {.columns = 11, .bias = false, .tied_to = table.producer});
  cross_entropy(b, "loss", head);
  return std::move(b).finish();
}

ComputationGraph two_tied_pairs_network(Precision precision) {
  GraphBuilder b = builder("two_tied_pairs_network", precision);
  const Tensor tokens = index_input(b, "tokens", 4, 11);
  const Tensor words = embedding(b, "words", tokens, 8);
  const Tensor types = embedding(b, "types", tokens, 8);
  const Tensor middle = dense(b, "middle", add(b, "sum", words, types), 8);
  for (const Tensor& table : {types, words}) {
    const std::string name = table.producer == words.producer ? "word" : "type";
    const Tensor head = linear(b, name + "_head", middle,
                               {.columns = 11, .bias = false, .tied_to = table.producer});
    cross_entropy(b, name + "_loss", head);
  }
  return std::move(b).finish();
}

ComputationGraph transformer_network(Precision precision) {
  GraphBuilder b = builder("transformer_network", precision);
  const Tensor x = feature_input(b, "x", 4, 8);
  const Tensor placed = position_embedding(b, "positions", x);
  const Tensor norm = layer_norm(b, "norm", placed);
  const Tensor attended = attention(b, "attention", norm, {.heads = 2, .causal = true});
  const Tensor middle = add(b, "add", placed, attended);
  const Tensor wide = dense(b, "wide", middle, 16);
  const Tensor narrow = linear(b, "narrow", wide, {.columns = 8, .residual = middle});
  cross_entropy(b, "loss", narrow);
  return std::move(b).finish();
}

ComputationGraph half_gradient_network(Precision precision) {
  GraphBuilder b = builder("half_gradient_network", precision);
  const Tensor x = feature_input(b, "x", 1, 6);
  const Tensor fc0 = dense(b, "fc0", x, 6);
  const Tensor join = concat(b, "join", {x, fc0});
  const Tensor head = linear(b, "head", join, {.columns = 4});
  mean_squared_error(b, "loss", head);
  return std::move(b).finish();
}

ComputationGraph two_losses_network(Precision precision) {
  GraphBuilder b = builder("two_losses_network", precision);
  const Tensor x = feature_input(b, "x", 1, 6);
  const Tensor stem = dense(b, "stem", x);
  const Tensor first = linear(b, "first", stem, {.columns = 4});
  mean_squared_error(b, "first_loss", first);
  const Tensor second = linear(b, "second", stem, {.columns = 5});
  cross_entropy(b, "second_loss", second);
  return std::move(b).finish();
}

ComputationGraph recommendation_network(Precision precision) {
  GraphBuilder b = builder("recommendation_network", precision);
  const Tensor x = feature_input(b, "x", 1, 6);
  const Tensor ids = index_input(b, "ids", 3, 13);
  const Tensor others = index_input(b, "others", 2, 9);
  const Tensor bottom = dense(b, "bottom", x, 8);
  const Tensor bag = embedding_bag(b, "bag", ids, {.columns = 8, .pooling = Pooling::Sum});
  const Tensor pair = embedding_bag(b, "pair", others, {.columns = 8, .pooling = Pooling::Sum});
  const Tensor dots = dot_interaction(b, "dots", {bottom, bag, pair});
  const Tensor top = linear(b, "top", dots, {.columns = 2});
  cross_entropy(b, "loss", top);
  return std::move(b).finish();
}

}  // namespace pipegraph::test
