#include "core/cluster/transfer_table.h"

#include <algorithm>
#include <cmath>
#include <utility>

#include "core/base/errors.h"

namespace pipegraph {

TransferTable::TransferTable(std::vector<Point> points) : points_(std::move(points)) {
  check(!points_.empty(), "a transfer table has a point");
  std::ranges::sort(points_, {}, &Point::size);
  for (std::size_t i = 0; i < points_.size(); ++i) {
    check(points_[i].size.count > 0 && points_[i].time > Seconds{0},
          "a point's numbers are positive");
    check(i == 0 || points_[i - 1].size < points_[i].size,
          "sizes of a transfer table are distinct");
  }
}

Seconds TransferTable::time(double bytes) const {
  const auto above = std::ranges::find_if(
      points_, [&](const Point& point) { return point.size.as_double() >= bytes; });
  if (above == points_.begin()) return above->time;
  const Point& low = *(above - 1);
  if (above == points_.end()) return low.time * (bytes / low.size.as_double());
  const double along = std::log(bytes / low.size.as_double()) /
                       std::log(above->size.as_double() / low.size.as_double());
  return low.time * std::pow(above->time / low.time, along);
}

}  // namespace pipegraph
