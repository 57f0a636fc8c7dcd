// Where there is no CUDA compiler, kernels run on the host, in the order of their stream. A library
// that is linked in place of CUDA defines this; the real backend does not call it.
#pragma once

#include <cuda_runtime_api.h>

#include <functional>

namespace pipegraph {

cudaError_t launch_on_host(cudaStream_t stream, const char* label, std::function<void()> body);

}  // namespace pipegraph
