// What lies between the network ports of a cluster's nodes: switches and the cables between them.
// The ports' own cables belong to the nodes.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "core/cluster/topology.h"

namespace pipegraph {

/// Ports count from 0 to ports() - 1, links from 0 to link_count() - 1. An object holds its options
/// only; links() is the one thing that grows with the fabric.
class Fabric {
 public:
  virtual ~Fabric() = default;
  virtual std::int64_t ports() const = 0;
  virtual std::int64_t link_count() const = 0;
  /// All links, named "switch->switch".
  virtual std::vector<Link> links() const = 0;
  /// Name of the switch at which a port hangs.
  virtual std::string switch_of(std::int64_t port) const = 0;
  /// Links from the switch of port `from` to that of port `to`, in the order they are crossed; a
  /// constant amount of work per link.
  virtual std::vector<std::int64_t> route(std::int64_t from, std::int64_t to) const = 0;
};

}  // namespace pipegraph
