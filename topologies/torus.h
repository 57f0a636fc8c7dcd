// Torus of any number of dimensions (one: a ring), with a switch at every point, routed one
// dimension after the other along the shorter way round.
#pragma once

#include <vector>

#include "topologies/fabric.h"
#include "topologies/link_rate.h"

namespace pipegraph {

struct TorusOptions {
  std::vector<std::int64_t> dimensions;  ///< positive; the first varies fastest
  std::int64_t ports_per_switch = 1;
  LinkRate cable;  ///< to the next point of a dimension, per direction
};

/// Points of the torus, 0 if they are more than k_most_devices.
std::int64_t points(const TorusOptions& options);

/// A dimension of size 1 has no link, of size 2 one per direction. Half way round is taken upwards.
class Torus : public Fabric {
 public:
  explicit Torus(const TorusOptions& options);

  std::int64_t ports() const override { return points_ * options_.ports_per_switch; }
  std::int64_t link_count() const override { return points_ * links_per_point_; }
  std::vector<Link> links() const override;
  std::string switch_of(std::int64_t port) const override;
  std::vector<std::int64_t> route(std::int64_t from, std::int64_t to) const override;

 private:
  struct Dimension {
    std::int64_t size = 1;
    std::int64_t stride = 1;      ///< between neighbours' indices
    std::int64_t first_link = 0;  ///< position of its links among those of a point: up, then down
  };
  std::int64_t coordinate(std::int64_t point, const Dimension& dimension) const {
    return point / dimension.stride % dimension.size;
  }
  /// The point one step up (+1) or down (-1) a dimension.
  std::int64_t neighbour(std::int64_t point, const Dimension& dimension, std::int64_t step) const;
  std::string name(std::int64_t point) const;

  TorusOptions options_;
  std::vector<Dimension> dimensions_;
  std::int64_t points_ = 1;
  std::int64_t links_per_point_ = 0;
};

}  // namespace pipegraph
