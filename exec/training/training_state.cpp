#include "exec/training/training_state.h"

namespace pipegraph {

std::int64_t elements(const StateTensor& tensor) {
  std::int64_t product = 1;
  for (const std::int64_t extent : tensor.shape) product *= extent;
  return product;
}

}  // namespace pipegraph
