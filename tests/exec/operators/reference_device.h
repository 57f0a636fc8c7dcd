// A device of plain loops for any scalar: in double it is what operators are checked on.
#pragma once

#include <algorithm>
#include <cstdint>

#include "exec/cpu/plain_gemm.h"
#include "exec/kernels/group.h"
#include "exec/operators/operator_definition.h"

namespace pipegraph::test {

template <class T>
class ReferenceDevice {
 public:
  using Scalar = T;
  static constexpr std::int64_t k_table_pieces = 3;

  void gemm(const Gemm<T>& gemm) const { plain_gemm(gemm); }
  void gemm_strided_batched(Gemm<T> gemm, const BatchStrides& strides) const {
    for (std::int64_t i = 0; i < strides.count; ++i) {
      plain_gemm(gemm);
      gemm.a.data += strides.a;
      gemm.b.data += strides.b;
      gemm.c += strides.c;
    }
  }
  template <class Body>
  void elements(std::int64_t count, const Body& body) const {
    for (std::int64_t i = 0; i < count; ++i) body(i);
  }
  template <class Body>
  void rows(std::int64_t count, const Body& body) const {
    kernels::SerialGroup group;
    for (std::int64_t row = 0; row < count; ++row) body(group, row);
  }
  void zero(T* into, std::int64_t count) const { std::fill_n(into, count, T{0}); }
  void copy(const T* from, T* into, std::int64_t count) const { std::copy_n(from, count, into); }
  void add(const T* from, T* into, std::int64_t count) const {
    for (std::int64_t i = 0; i < count; ++i) into[i] += from[i];
  }
};

}  // namespace pipegraph::test
