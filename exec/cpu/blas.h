// Matrix products on the host, from OpenBLAS where the build has it, else from plain loops.
#pragma once

#include <string>

#include "exec/operators/device.h"

namespace pipegraph {

/// Does what the first product would do first. Best before threads are started, for it sets an
/// environment variable. Errors: MachineError if the library is gone.
void load_blas();

/// Runs on the calling thread alone; may be called by several threads at once. Errors: as
/// load_blas(); InternalError for sizes beyond 2^31.
void host_gemm(const Gemm<float>& gemm);

/// For a run's header and for profiles: "OpenBLAS 0.3.21 (SkylakeX, pthreads)", or "plain loops".
std::string blas_name();

/// "SkylakeX": the kernels OpenBLAS chose for this machine; "none" without it.
std::string blas_core();

}  // namespace pipegraph
