// What messages between two devices cost on an idle cluster, kept for quick repetition.
#pragma once

#include <vector>

#include "core/run/route_costs.h"

namespace pipegraph {

class PairPrices {
 public:
  /// `topology` must outlive this.
  explicit PairPrices(const Topology& topology);

  /// Seconds of so many messages with so many bytes together; 0 from a device to itself.
  double seconds(DeviceId from, DeviceId to, double messages, double bytes) {
    if (from == to) return 0.0;
    const Price price = table_.empty() ? of_route(from, to) : from_table(from, to);
    return messages * price.latency + bytes * price.per_byte;
  }

 private:
  struct Price {
    double latency = -1.0;  ///< -1: not looked up yet
    double per_byte = 0.0;
  };
  Price of_route(DeviceId from, DeviceId to);
  Price from_table(DeviceId from, DeviceId to) {
    Price& price = table_[from.index() * size_ + to.index()];
    if (price.latency < 0.0) price = of_route(from, to);
    return price;
  }

  RouteCosts routes_;
  std::size_t size_;
  std::vector<Price> table_;  ///< by pair; empty on large clusters
};

}  // namespace pipegraph
