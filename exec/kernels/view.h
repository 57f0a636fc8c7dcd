// A stretch of elements as kernels see it: pointer and size, owned by the caller. Indices are
// checked where PIPEGRAPH_CHECKED_VIEWS is defined, which tests do.
#pragma once

#include <cstdint>
#include <type_traits>

#include "exec/kernels/host_device.h"
#ifdef PIPEGRAPH_CHECKED_VIEWS
#include "core/base/errors.h"
#endif

namespace pipegraph::kernels {

template <class T>
class View {
 public:
  View() = default;
  PIPEGRAPH_HOST_DEVICE View(T* data, std::int64_t size) : data_(data), size_(size) {}
  /// A view that may write is one that may read.
  template <class Other>
  requires std::is_same_v<T, const Other> PIPEGRAPH_HOST_DEVICE View(View<Other> other)
      : data_(other.data()), size_(other.size()) {}

  PIPEGRAPH_HOST_DEVICE T& operator[](std::int64_t i) const {
#ifdef PIPEGRAPH_CHECKED_VIEWS
    check(i >= 0 && i < size_, "an index lies outside its view");
#endif
#ifdef PIPEGRAPH_CUDA_STAND_IN
    constexpr std::uintptr_t k_address = (std::uintptr_t{1} << 56) - 1;  // the rest is a tag
    // NOLINTNEXTLINE(performance-no-int-to-ptr): addresses of the stand-in carry the tag for hosts
    return reinterpret_cast<T*>(reinterpret_cast<std::uintptr_t>(data_) & k_address)[i];
#else
    return data_[i];
#endif
  }
  /// `count` elements from `first` on.
  PIPEGRAPH_HOST_DEVICE View part(std::int64_t first, std::int64_t count) const {
#ifdef PIPEGRAPH_CHECKED_VIEWS
    check(first >= 0 && count >= 0 && first + count <= size_, "a part lies outside its view");
#endif
    return {data_ + first, count};
  }
  PIPEGRAPH_HOST_DEVICE T* data() const { return data_; }
  PIPEGRAPH_HOST_DEVICE std::int64_t size() const { return size_; }

 private:
  T* data_ = nullptr;
  std::int64_t size_ = 0;
};

}  // namespace pipegraph::kernels
