// Arrays in device memory for tests, one allocation each, so that an access beyond its end is
// found.
#pragma once

#include <algorithm>
#include <vector>

#include "exec/cuda/handles.h"

namespace pipegraph::test {

template <class T>
class DeviceArray {
 public:
  DeviceArray(const std::vector<T>& values, cudaStream_t stream)
      : count_(values.size()),
        memory_(allocate_on_device(bytes())),
        pinned_(allocate_pinned(bytes())) {
    std::copy(values.begin(), values.end(), reinterpret_cast<T*>(pinned_.get()));
    move(memory_.get(), pinned_.get(), cudaMemcpyHostToDevice, stream);
  }

  T* data() const { return reinterpret_cast<T*>(memory_.get()); }

  std::vector<T> download(cudaStream_t stream) const {
    move(pinned_.get(), memory_.get(), cudaMemcpyDeviceToHost, stream);
    const T* const values = reinterpret_cast<const T*>(pinned_.get());
    return std::vector<T>(values, values + count_);
  }

 private:
  Bytes bytes() const { return {count_ * sizeof(T)}; }
  void move(std::byte* to, const std::byte* from, cudaMemcpyKind kind, cudaStream_t stream) const {
    if (count_ == 0) return;
    PIPEGRAPH_CUDA(cudaMemcpyAsync(to, from, bytes().count, kind, stream));
    PIPEGRAPH_CUDA(cudaStreamSynchronize(stream));
  }

  std::size_t count_;
  GpuMemory memory_;
  PinnedMemory pinned_;
};

}  // namespace pipegraph::test
