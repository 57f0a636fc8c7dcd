#include "core/planners/pair_prices.h"

namespace pipegraph {

namespace {
constexpr std::size_t k_most_in_table = 256;  // devices
}

PairPrices::PairPrices(const Topology& topology) : routes_(topology), size_(topology.size()) {
  if (size_ <= k_most_in_table) table_.resize(size_ * size_);
}

PairPrices::Price PairPrices::of_route(DeviceId from, DeviceId to) {
  const RouteCost& cost = routes_.between(from, to);
  return {cost.route.latency.count(), 1.0 / cost.bandwidth.value};
}

}  // namespace pipegraph
