// OpenBLAS through its C interface. Its own threads are switched off: there is one of ours per
// device.
#include <cblas.h>
#include <fmt/format.h>

#include <limits>
#include <mutex>

#include "core/base/errors.h"
#include "exec/cpu/blas.h"

namespace pipegraph {

namespace {

void use_one_thread() {
  static std::once_flag once;
  std::call_once(once, [] { openblas_set_num_threads(1); });
}

blasint to_blasint(std::int64_t size) {
  check(size >= 0 && size <= std::numeric_limits<blasint>::max(),
        "a dimension is beyond what BLAS takes");
  return static_cast<blasint>(size);
}

CBLAS_TRANSPOSE to_cblas(Transpose transpose) {
  return transpose == Transpose::Yes ? CblasTrans : CblasNoTrans;
}

std::string_view parallel_text(int parallel) {
  constexpr std::string_view k_texts[]{"sequential", "pthreads", "OpenMP"};
  return parallel >= 0 && parallel <= 2 ? k_texts[parallel] : "unknown threads";
}

}  // namespace

void host_gemm(const Gemm<float>& gemm) {
  if (gemm.m == 0 || gemm.n == 0) return;
  use_one_thread();
  cblas_sgemm(CblasRowMajor, to_cblas(gemm.a.transpose), to_cblas(gemm.b.transpose),
              to_blasint(gemm.m), to_blasint(gemm.n), to_blasint(gemm.k), gemm.alpha, gemm.a.data,
              to_blasint(gemm.a.stride), gemm.b.data, to_blasint(gemm.b.stride), gemm.beta, gemm.c,
              to_blasint(gemm.c_stride));
}

std::string blas_core() { return openblas_get_corename(); }

std::string blas_name() {
  // "OpenBLAS 0.3.21 NO_LAPACKE DYNAMIC_ARCH ...": the first two words
  const std::string_view config = openblas_get_config();
  const std::size_t second = config.find(' ', config.find(' ') + 1);
  return fmt::format("{} ({}, {})", config.substr(0, second), blas_core(),
                     parallel_text(openblas_get_parallel()));
}

}  // namespace pipegraph
