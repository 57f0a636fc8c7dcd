#include "models/dense_stack.h"

#include <fmt/format.h>

namespace pipegraph {

Tensor dense_stack(GraphBuilder& builder, const std::string& prefix, Tensor x,
                   const DenseStack& stack) {
  for (std::int64_t i = 0; i < stack.layers; ++i)
    x = linear(builder, fmt::format("{}{}", prefix, i), x,
               {.columns = stack.columns, .bias = stack.bias, .activation = stack.activation});
  return x;
}

FamilyParameter dense_activation_parameter() {
  return choice_parameter("activation", {"relu", "gelu", "none"}, "after every hidden layer");
}

Activation dense_activation_of(const FamilyArguments& arguments) {
  constexpr Activation k_choices[]{Activation::Relu, Activation::Gelu, Activation::None};
  return k_choices[arguments.at("activation")];
}

}  // namespace pipegraph
