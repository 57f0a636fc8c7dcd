#include "exec/measure/links.h"

#include <algorithm>

#include "core/base/errors.h"

namespace pipegraph {

LinkFit fit(const MeasuredLink& link) {
  check(link.copies.size() > 1, "a link is measured with several sizes");
  const MeasuredTransfer& smallest = link.copies.front();
  const MeasuredTransfer& largest = link.copies.back();
  // Where nothing is to be seen of the size, all of the time is the bytes'.
  const Seconds beyond = largest.time.mean - smallest.time.mean;
  const Seconds moving = beyond > Seconds{0} ? beyond : largest.time.mean;
  return {.latency = smallest.time.mean,
          .bandwidth = {static_cast<double>(largest.size.count) / moving.count()}};
}

std::vector<Bytes> link_sizes() {
  std::vector<Bytes> sizes;
  for (Bytes size{64}; size.count <= (std::uint64_t{64} << 20); size = size * 4)
    sizes.push_back(size);
  return sizes;
}

}  // namespace pipegraph
