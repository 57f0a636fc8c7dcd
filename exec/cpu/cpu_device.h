// The host as a device of operators: everything is done, on the calling thread, when a call
// returns. Operators are instantiated for it once, in cpu_operators.cpp.
#pragma once

#include <algorithm>
#include <cstdint>
#include <string>

#include "exec/cpu/blas.h"
#include "exec/cpu/simd.h"
#include "exec/kernels/join.h"
#include "exec/operators/operator.h"

namespace pipegraph {

class CpuDevice {
 public:
  using Scalar = float;
  static constexpr std::int64_t k_table_pieces = 1;

  /// Errors: as load_blas().
  explicit CpuDevice(SimdLevel level = machine_simd_level()) : level_(level) { load_blas(); }

  void gemm(const Gemm<float>& gemm) const { host_gemm(gemm); }
  void gemm_strided_batched(Gemm<float> gemm, const BatchStrides& strides) const {
    for (std::int64_t i = 0; i < strides.count; ++i) {
      host_gemm(gemm);
      gemm.a.data += strides.a;
      gemm.b.data += strides.b;
      gemm.c += strides.c;
    }
  }
  template <class Body>
  void elements(std::int64_t count, const Body& body) const {
    run_elements(level_, count, body);
  }
  template <class Body>
  void rows(std::int64_t count, const Body& body) const {
    run_rows(level_, count, body);
  }
  void zero(float* into, std::int64_t count) const { std::fill_n(into, count, 0.0F); }
  void copy(const float* from, float* into, std::int64_t count) const {
    std::copy_n(from, count, into);
  }
  void add(const float* from, float* into, std::int64_t count) const {
    elements(count, kernels::AddElements<float>{{into, count}, {from, count}, {into, count}});
  }

 private:
  SimdLevel level_;
};

/// What computes, for a run's header: "OpenBLAS 0.3.21 (SkylakeX, pthreads), loops in avx512".
std::string cpu_arithmetic();

extern template void forward(CpuDevice&, const OperatorShape&, const OperatorData<float>&);
extern template void backward_input(CpuDevice&, const OperatorShape&, const OperatorData<float>&,
                                    const OperatorGradients<float>&);
extern template void backward_weight(CpuDevice&, const OperatorShape&, const OperatorData<float>&,
                                     const OperatorGradients<float>&);

}  // namespace pipegraph
