// The three matrix products that operators are made of, on dense matrices.
#pragma once

#include "exec/operators/device.h"

namespace pipegraph::operators {

struct ProductSize {
  std::int64_t m, n, k;
};

/// c [m, n] = a [m, k] b [k, n]
template <ArithmeticDevice D, class T = typename D::Scalar>
void times(D& device, const ProductSize& size, const T* a, const T* b, T* c) {
  device.gemm(Gemm<T>{size.m, size.n, size.k, {a, size.k}, {b, size.n}, c, size.n});
}

/// c [m, n] = a [m, k] times the transpose of b [n, k]
template <ArithmeticDevice D, class T = typename D::Scalar>
void times_transposed(D& device, const ProductSize& size, const T* a, const T* b, T* c) {
  device.gemm(Gemm<T>{size.m, size.n, size.k, {a, size.k}, {b, size.k, Transpose::Yes}, c, size.n});
}

/// c [m, n] += the transpose of a [k, m] times b [k, n]
template <ArithmeticDevice D, class T = typename D::Scalar>
void add_transposed_times(D& device, const ProductSize& size, const T* a, const T* b,
                          kernels::Wide<T>* c) {
  device.gemm(Gemm<T, kernels::Wide<T>>{.m = size.m,
                                        .n = size.n,
                                        .k = size.k,
                                        .a = {a, size.m, Transpose::Yes},
                                        .b = {b, size.n},
                                        .c = c,
                                        .c_stride = size.n,
                                        .beta = kernels::Wide<T>{1}});
}

}  // namespace pipegraph::operators
