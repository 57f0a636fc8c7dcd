// Puts element and row bodies on a stream: as kernels where nvcc compiles this, else on the host in
// the stream's order. One list of sources serves both.
#pragma once

#include <algorithm>
#include <cstdint>
#include <typeinfo>

#include "exec/cuda/block_group.h"
#include "exec/cuda/cuda_error.h"
#include "exec/cuda/host_launch.h"
#include "exec/kernels/group.h"

namespace pipegraph {

#ifdef __CUDACC__

inline constexpr unsigned k_block_threads = 256;

template <class Body>
__global__ void elements_kernel(std::int64_t count, Body body) {
  const std::int64_t step = static_cast<std::int64_t>(gridDim.x) * blockDim.x;
  for (std::int64_t i = static_cast<std::int64_t>(blockIdx.x) * blockDim.x + threadIdx.x; i < count;
       i += step)
    body(i);
}

template <class Body>
__global__ void rows_kernel(Body body) {
  BlockGroup group;
  body(group, static_cast<std::int64_t>(blockIdx.x));
}

template <class Body>
void launch_elements(cudaStream_t stream, std::int64_t count, const Body& body) {
  constexpr std::int64_t k_most_blocks = 1 << 20;
  const std::int64_t blocks =
      std::min((count + k_block_threads - 1) / k_block_threads, k_most_blocks);
  elements_kernel<<<static_cast<unsigned>(blocks), k_block_threads, 0, stream>>>(count, body);
  PIPEGRAPH_CUDA(cudaGetLastError());
}

template <class Body>
void launch_rows(cudaStream_t stream, std::int64_t count, const Body& body) {
  check(count < (std::int64_t{1} << 31), "rows fit into a grid");
  rows_kernel<<<static_cast<unsigned>(count), k_block_threads, 0, stream>>>(body);
  PIPEGRAPH_CUDA(cudaGetLastError());
}

#elif defined(PIPEGRAPH_CUDA_STAND_IN)

template <class Body>
void launch_elements(cudaStream_t stream, std::int64_t count, const Body& body) {
  PIPEGRAPH_CUDA(launch_on_host(stream, typeid(Body).name(), [count, body] {
    for (std::int64_t i = 0; i < count; ++i) body(i);
  }));
}

template <class Body>
void launch_rows(cudaStream_t stream, std::int64_t count, const Body& body) {
  PIPEGRAPH_CUDA(launch_on_host(stream, typeid(Body).name(), [count, body] {
    kernels::SerialGroup group;
    for (std::int64_t row = 0; row < count; ++row) body(group, row);
  }));
}

#else

// The host's compiler cannot launch kernels: what does belongs into a .cu file.
template <class Body>
void launch_elements(cudaStream_t, std::int64_t, const Body&) {
  static_assert(sizeof(Body) == 0, "kernels are launched from .cu files only");
}
template <class Body>
void launch_rows(cudaStream_t, std::int64_t, const Body&) {
  static_assert(sizeof(Body) == 0, "kernels are launched from .cu files only");
}

#endif

}  // namespace pipegraph
