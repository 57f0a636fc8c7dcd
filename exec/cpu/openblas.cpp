// OpenBLAS through its C interface. It is loaded when it is first needed and not linked, because it
// starts threads as soon as it is there: whoever only simulates must have none when forking. Those
// threads are never wanted; there is one of ours per device.
#include <cblas.h>
#include <fmt/format.h>

#include <cstdlib>
#include <limits>

#include "core/base/errors.h"
#include "exec/cpu/blas.h"
#include "exec/shared_library.h"

namespace pipegraph {

namespace {

struct OpenBlas {
  decltype(&cblas_sgemm) sgemm;
  decltype(&openblas_get_config) config;
  decltype(&openblas_get_corename) core_name;
  decltype(&openblas_get_parallel) parallel;
};

OpenBlas load() {
  // Read while it loads; without this it starts threads, which spin for a while.
  setenv("OPENBLAS_NUM_THREADS", "1", 1);
  // Elsewhere than where it was built: whatever the system calls by that name.
  const SharedLibrary library("OpenBLAS", {PIPEGRAPH_OPENBLAS_LIBRARY, "libopenblas.so.0"});
  OpenBlas blas{};
  library.find("cblas_sgemm", blas.sgemm);
  library.find("openblas_get_config", blas.config);
  library.find("openblas_get_corename", blas.core_name);
  library.find("openblas_get_parallel", blas.parallel);
  return blas;
}

const OpenBlas& open_blas() {
  static const OpenBlas blas = load();
  return blas;
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

void load_blas() { open_blas(); }

void host_gemm(const Gemm<float>& gemm) {
  if (gemm.m == 0 || gemm.n == 0) return;
  open_blas().sgemm(CblasRowMajor, to_cblas(gemm.a.transpose), to_cblas(gemm.b.transpose),
                    to_blasint(gemm.m), to_blasint(gemm.n), to_blasint(gemm.k), gemm.alpha,
                    gemm.a.data, to_blasint(gemm.a.stride), gemm.b.data, to_blasint(gemm.b.stride),
                    gemm.beta, gemm.c, to_blasint(gemm.c_stride));
}

std::string blas_core() { return open_blas().core_name(); }

std::string blas_name() {
  // "OpenBLAS 0.3.21 NO_LAPACKE DYNAMIC_ARCH ...": the first two words
  const std::string_view config = open_blas().config();
  const std::size_t second = config.find(' ', config.find(' ') + 1);
  return fmt::format("{} ({}, {})", config.substr(0, second), blas_core(),
                     parallel_text(open_blas().parallel()));
}

}  // namespace pipegraph
