// Numbers stored once more with fewer bits.
#pragma once

#include "exec/kernels/bfloat16.h"
#include "exec/kernels/view.h"

namespace pipegraph::kernels {

/// to = from, rounded
template <class T>
struct RoundElements {
  View<const Wide<T>> from;
  View<T> to;
  PIPEGRAPH_HOST_DEVICE void operator()(std::int64_t i) const { to[i] = from[i]; }
};

}  // namespace pipegraph::kernels
