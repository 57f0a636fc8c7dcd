// What operators ask of a device. Operators are templates over it: the cpu's (exec/cpu) carries
// everything out before it returns, a GPU's enqueues on a stream; tests have one in double. All
// pointers are the device's own memory, all matrices row-major.
#pragma once

#include <concepts>
#include <cstdint>

#include "exec/kernels/bfloat16.h"

namespace pipegraph {

enum class Transpose : std::uint8_t { No, Yes };

/// One factor of a matrix product, as it lies in memory: consecutive rows `stride` elements apart.
template <class T>
struct Factor {
  const T* data = nullptr;
  std::int64_t stride = 0;
  Transpose transpose = Transpose::No;  ///< Yes: the product takes its transpose
};

/// c = alpha a b + beta c, where a is [m, k] and b is [k, n] after transposition. c is not read if
/// beta is 0, and overlaps neither factor. Products are added up wide, whatever is stored.
template <class T, class Result = T>
struct Gemm {
  std::int64_t m = 0, n = 0, k = 0;
  Factor<T> a, b;
  Result* c = nullptr;
  std::int64_t c_stride = 0;
  kernels::Wide<T> alpha{1};
  kernels::Wide<T> beta{0};
};

/// Equal products side by side: from one to the next the pointers advance by so many elements.
struct BatchStrides {
  std::int64_t count = 1;
  std::int64_t a = 0, b = 0, c = 0;
};

namespace detail {
/// Stands for an element body (called once per index) and a row body (called once per row by the
/// threads of a group) in the concept below.
struct AnyBody {
  void operator()(std::int64_t) const {}
  template <class Group>
  void operator()(Group&, std::int64_t) const {}
};
}  // namespace detail

template <class D>
concept ArithmeticDevice = requires(D& device, typename D::Scalar* out,
                                    const typename D::Scalar* in, std::int64_t n,
                                    detail::AnyBody body, Gemm<typename D::Scalar> gemm,
                                    Gemm<typename D::Scalar, kernels::Wide<typename D::Scalar>> sum,
                                    kernels::Wide<typename D::Scalar>* wide_out,
                                    const kernels::Wide<typename D::Scalar>* wide_in,
                                    BatchStrides batch) {
  /// Pieces that a table of embeddings is cut into when its gradient is added up. The sum does not
  /// depend on it.
  { D::k_table_pieces } -> std::convertible_to<std::int64_t>;
  device.gemm(gemm);
  device.gemm(sum);
  device.gemm_strided_batched(gemm, batch);
  device.elements(n, body);  ///< body(i) for i in [0, n), in any order
  device.rows(n, body);      ///< body(group, row) for row in [0, n), in any order
  device.zero(out, n);
  device.copy(in, out, n);
  device.add(in, out, n);  ///< out += in
  device.add(wide_in, wide_out, n);
};

}  // namespace pipegraph
