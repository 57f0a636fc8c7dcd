// A thread block as the group of a row body: the only code here that no test on a CPU reaches.
#pragma once

#ifdef __CUDACC__

namespace pipegraph {

class BlockGroup {
 public:
  static constexpr int k_lanes = 1;  // a warp's members read side by side
  __device__ __forceinline__ int rank() const { return static_cast<int>(threadIdx.x); }
  __device__ __forceinline__ int size() const { return static_cast<int>(blockDim.x); }
  __device__ __forceinline__ static constexpr int warp() { return 32; }
  template <class T>
  __device__ __forceinline__ T shuffle_xor(T value, int mask) const {
    return __shfl_xor_sync(0xffffffffU, value, mask);
  }
  template <class T>
  __device__ __forceinline__ T* shared() const {
    __shared__ double storage[32];  // a block has at most 32 warps
    return reinterpret_cast<T*>(storage);
  }
  __device__ __forceinline__ void sync() const { __syncthreads(); }
};

}  // namespace pipegraph

#endif
