// A chain of equal linear layers, activation included: what the feed-forward families are made of.
#pragma once

#include <string>

#include "models/family.h"
#include "models/layers.h"

namespace pipegraph {

struct DenseStack {
  std::int64_t layers = 1;
  std::int64_t columns = 0;
  bool bias = true;
  Activation activation = Activation::Relu;
};

/// Layers `prefix`0, `prefix`1, ... on x.
Tensor dense_stack(GraphBuilder& builder, const std::string& prefix, Tensor x,
                   const DenseStack& stack);

/// "activation": relu (default), gelu or none.
FamilyParameter dense_activation_parameter();
Activation dense_activation_of(const FamilyArguments& arguments);

}  // namespace pipegraph
