#include "core/stage/micro_batch.h"

#include <fmt/format.h>

#include "core/base/errors.h"

namespace pipegraph {

std::vector<MicroBatch> micro_batches(std::int32_t mini_batch, std::int32_t micro_batch) {
  check(mini_batch > 0 && micro_batch > 0, "mini-batch and micro-batch have samples");
  std::vector<MicroBatch> result;
  result.reserve(static_cast<std::size_t>((mini_batch - 1) / micro_batch) + 1);
  for (std::int32_t first = 0; first < mini_batch;) {
    const std::int32_t last = first + std::min(micro_batch, mini_batch - first);
    result.push_back({first, last});
    first = last;
  }
  return result;
}

std::string to_text(MicroBatch range) { return fmt::format("[{},{})", range.first, range.last); }

}  // namespace pipegraph
