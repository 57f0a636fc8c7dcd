// Attention after the projections, by its definition: queries, keys and values of one sample, each
// [tokens, heads x head columns].
#pragma once

#include <cmath>
#include <cstdint>

#include "exec/kernels/reference/matrix.h"
#include "exec/kernels/reference/softmax.h"

namespace pipegraph::kernels::reference {

struct AttentionInputs {
  Matrix queries, keys, values;
  std::int64_t heads;
  bool causal;
};

/// The heads' results side by side.
inline Matrix attention(const AttentionInputs& in) {
  const std::int64_t tokens = in.queries.rows;
  const std::int64_t width = in.queries.columns / in.heads;
  Matrix result(tokens, in.queries.columns);
  for (std::int64_t first = 0; first < in.queries.columns; first += width) {
    Matrix scores(tokens, tokens);
    for (std::int64_t i = 0; i < tokens; ++i)
      for (std::int64_t j = 0; j < tokens; ++j)
        for (std::int64_t c = first; c < first + width; ++c)
          scores.at(i, j) +=
              in.queries.at(i, c) * in.keys.at(j, c) / std::sqrt(static_cast<double>(width));
    const Matrix probabilities = softmax(scores, in.causal ? tokens : 0);
    for (std::int64_t i = 0; i < tokens; ++i)
      for (std::int64_t c = first; c < first + width; ++c)
        for (std::int64_t j = 0; j < tokens; ++j)
          result.at(i, c) += probabilities.at(i, j) * in.values.at(j, c);
  }
  return result;
}

}  // namespace pipegraph::kernels::reference
