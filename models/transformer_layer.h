// One transformer layer as six operators, norm before and residual after each half:
//
//   norm_1          layer norm of x
//   attention       multi-head attention of it, its four projections included
//   add             x + attention
//   norm_2          layer norm of that
//   feed_forward_1  linear to `feed_forward` columns, activation
//   feed_forward_2  linear back, + the result of add
//
// The three that hold the products - attention and two linear operators - are what GraphPipe's
// models are built of (arXiv 2406.17145); norms and residuals make the layer one that trains.
#pragma once

#include <string>

#include "models/family.h"
#include "models/layers.h"

namespace pipegraph {

struct TransformerLayer {
  std::int64_t heads = 1;
  std::int64_t feed_forward = 0;  ///< columns between the two linear operators
  bool causal = false;
  Activation activation = Activation::Gelu;
};

/// Operators are named `prefix` + the names above. Output has x's shape.
Tensor transformer_layer(GraphBuilder& builder, const std::string& prefix, const Tensor& x,
                         const TransformerLayer& options);

/// Parameters "hidden", "heads", "sequence", "feed_forward" and "activation", shared by the
/// families of transformers; `hidden` and `sequence` with these defaults.
std::vector<FamilyParameter> transformer_parameters(std::int64_t hidden, std::int64_t sequence);

/// Reads them. Errors: ConfigError unless the heads divide `hidden`.
TransformerLayer transformer_layer_of(const FamilyArguments& arguments);

}  // namespace pipegraph
