#include "exec/cpu/blas.h"
#include "exec/cpu/plain_gemm.h"

namespace pipegraph {

void load_blas() {}

void host_gemm(const Gemm<float>& gemm) { plain_gemm(gemm); }

std::string blas_name() { return "plain loops"; }

std::string blas_core() { return "none"; }

}  // namespace pipegraph
