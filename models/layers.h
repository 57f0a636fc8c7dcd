// The operators that network families are made of, with their work, memory traffic and parameters.
//
// FLOPs count matrix products only (2 m n k each); everything else is priced by the bytes it moves:
// per sample each tensor read or written counts once per kernel that touches it, and parameters
// count once per pass (`fixed_bytes`): read in the forward, read for the input's gradient, and
// their gradient read and written. docs/models.md has the table.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "models/graph_builder.h"

namespace pipegraph {

/// A source of [rows, columns] real features per sample.
Tensor feature_input(GraphBuilder& builder, const std::string& name, std::int64_t rows,
                     std::int64_t columns);
/// A source of `count` 4-byte indices per sample, each below `table_rows`.
Tensor index_input(GraphBuilder& builder, const std::string& name, std::int64_t count,
                   std::int64_t table_rows);

struct LinearOptions {
  std::int64_t columns = 0;  ///< of the output
  bool bias = true;
  Activation activation = Activation::None;
  std::optional<Tensor> residual{};  ///< added after the activation; has the output's shape
  OperatorId tied_to{};              ///< shares the parameters of that operator
};
/// x W (+ bias), activation, (+ residual). GELU, and ReLU before a residual, keep their argument
/// for the backward.
Tensor linear(GraphBuilder& builder, const std::string& name, const Tensor& x,
              const LinearOptions& options);

/// Over columns, with gain and offset.
Tensor layer_norm(GraphBuilder& builder, const std::string& name, const Tensor& x);

struct AttentionOptions {
  std::int64_t heads = 1;  ///< divides the columns
  bool causal = false;     ///< costs the same: all scores are computed, then masked
};
/// Multi-head attention with its four projections and their biases. Keeps queries, keys, values,
/// the heads' result and the probabilities for the backward.
Tensor attention(GraphBuilder& builder, const std::string& name, const Tensor& x,
                 const AttentionOptions& options);

/// x + a learned tensor of x's shape.
Tensor position_embedding(GraphBuilder& builder, const std::string& name, const Tensor& x);
/// One row of `columns` numbers for every index.
Tensor embedding(GraphBuilder& builder, const std::string& name, const Tensor& indices,
                 std::int64_t columns);
struct BagOptions {
  std::int64_t columns = 0;  ///< of the table
  Pooling pooling = Pooling::Concat;
};
/// The rows of all indices, side by side or added up.
Tensor embedding_bag(GraphBuilder& builder, const std::string& name, const Tensor& indices,
                     const BagOptions& options);

/// Equal shapes.
Tensor add(GraphBuilder& builder, const std::string& name, const Tensor& x, const Tensor& y);
/// Along columns; equal rows.
Tensor concat(GraphBuilder& builder, const std::string& name, const std::vector<Tensor>& parts);
/// Of n inputs of [1, d]: the first, then the n (n - 1) / 2 dot products of pairs.
Tensor dot_interaction(GraphBuilder& builder, const std::string& name,
                       const std::vector<Tensor>& parts);

/// Losses are sinks of one 4-byte number per sample; they read labels of their own from the data.
Tensor mean_squared_error(GraphBuilder& builder, const std::string& name, const Tensor& x);
/// One class of x's columns per row.
Tensor cross_entropy(GraphBuilder& builder, const std::string& name, const Tensor& x);

}  // namespace pipegraph
