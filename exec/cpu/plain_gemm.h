// The matrix product in plain loops: what runs where there is no BLAS, and what tests hold the
// others against.
#pragma once

#include "exec/operators/device.h"

namespace pipegraph {

template <class T>
T factor_element(const Factor<T>& factor, std::int64_t row, std::int64_t column) {
  return factor.transpose == Transpose::Yes ? factor.data[column * factor.stride + row]
                                            : factor.data[row * factor.stride + column];
}

/// Products are added in ascending k.
template <class T>
void plain_gemm(const Gemm<T>& gemm) {
  for (std::int64_t i = 0; i < gemm.m; ++i) {
    T* row = gemm.c + i * gemm.c_stride;
    for (std::int64_t j = 0; j < gemm.n; ++j)
      row[j] = gemm.beta == T{0} ? T{0} : gemm.beta * row[j];
    for (std::int64_t k = 0; k < gemm.k; ++k) {
      const T a = gemm.alpha * factor_element(gemm.a, i, k);
      for (std::int64_t j = 0; j < gemm.n; ++j) row[j] += a * factor_element(gemm.b, k, j);
    }
  }
}

}  // namespace pipegraph
