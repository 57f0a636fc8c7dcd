// What single messages were measured to take, by their size: a stand-in for latency + bytes /
// bandwidth on machines where neither is one number.
#pragma once

#include <vector>

#include "core/base/units.h"

namespace pipegraph {

class TransferTable {
 public:
  struct Point {
    Bytes size;
    Seconds time{0};
    bool operator==(const Point&) const = default;
  };

  /// One or more points in any order, sizes distinct, sizes and times above 0. Errors:
  /// InternalError otherwise.
  explicit TransferTable(std::vector<Point> points);

  /// Between two sizes a straight line of the logarithms; below the smallest size its time; above
  /// the largest in proportion to the bytes.
  Seconds time(double bytes) const;

  const std::vector<Point>& points() const { return points_; }  ///< ascending by size
  bool operator==(const TransferTable&) const = default;

 private:
  std::vector<Point> points_;
};

}  // namespace pipegraph
