#include "topologies/torus.h"

#include <fmt/format.h>

#include <algorithm>

#include "core/base/errors.h"

namespace pipegraph {

std::int64_t points(const TorusOptions& options) {
  std::int64_t product = 1;
  for (std::int64_t size : options.dimensions) {
    if (size > k_most_devices / product) return 0;
    product *= size;
  }
  return product;
}

Torus::Torus(const TorusOptions& options) : options_(options) {
  check(std::ranges::all_of(options.dimensions, [](std::int64_t size) { return size > 0; }),
        "a torus has positive dimensions");
  check(points(options) > 0, "a torus has a bounded number of points");
  for (std::int64_t size : options.dimensions) {
    dimensions_.push_back({size, points_, links_per_point_});
    points_ *= size;
    links_per_point_ += std::min<std::int64_t>(size - 1, 2);
  }
}

std::int64_t Torus::neighbour(std::int64_t point, const Dimension& dimension,
                              std::int64_t step) const {
  const std::int64_t here = coordinate(point, dimension);
  const std::int64_t there = (here + step + dimension.size) % dimension.size;
  return point + (there - here) * dimension.stride;
}

std::string Torus::name(std::int64_t point) const {
  std::string text = "torus(";
  for (const Dimension& dimension : dimensions_)
    fmt::format_to(std::back_inserter(text), "{}{}", text.back() == '(' ? "" : ",",
                   coordinate(point, dimension));
  return text + ")";
}

std::string Torus::switch_of(std::int64_t port) const {
  return name(port / options_.ports_per_switch);
}

std::vector<Link> Torus::links() const {
  std::vector<Link> all;
  all.reserve(static_cast<std::size_t>(link_count()));
  const auto add = [&](std::int64_t from, std::int64_t to) {
    all.push_back({name(from) + "->" + name(to), options_.cable.bandwidth, options_.cable.latency});
  };
  for (std::int64_t point = 0; point < points_; ++point)
    for (const Dimension& dimension : dimensions_) {
      if (dimension.size > 1) add(point, neighbour(point, dimension, +1));
      if (dimension.size > 2) add(point, neighbour(point, dimension, -1));
    }
  return all;
}

std::vector<std::int64_t> Torus::route(std::int64_t from, std::int64_t to) const {
  std::vector<std::int64_t> crossed;
  std::int64_t point = from / options_.ports_per_switch;
  const std::int64_t target = to / options_.ports_per_switch;
  for (const Dimension& dimension : dimensions_) {
    const std::int64_t size = dimension.size;
    const std::int64_t up =
        (coordinate(target, dimension) - coordinate(point, dimension) + size) % size;
    const bool upwards = 2 * up <= size;
    for (std::int64_t left = upwards ? up : size - up; left > 0; --left) {
      crossed.push_back(point * links_per_point_ + dimension.first_link + (upwards ? 0 : 1));
      point = neighbour(point, dimension, upwards ? +1 : -1);
    }
  }
  return crossed;
}

}  // namespace pipegraph
