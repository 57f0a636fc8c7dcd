// Marks what runs on host and device alike. On the host it also asks for inlining, without which
// the loops around a body would not vectorise.
#pragma once

#ifdef __CUDACC__
#define PIPEGRAPH_HOST_DEVICE __host__ __device__ __forceinline__
#else
#define PIPEGRAPH_HOST_DEVICE [[gnu::always_inline]] inline
#endif
