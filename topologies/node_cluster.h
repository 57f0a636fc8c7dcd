// Equal nodes of several devices, joined by a fabric: the shape of GPU clusters, and with one
// device per node that of tori and rings of accelerators.
#pragma once

#include <memory>
#include <optional>
#include <string>
#include <variant>

#include "core/cluster/topology.h"
#include "topologies/dragonfly.h"
#include "topologies/fat_tree.h"
#include "topologies/node_layout.h"
#include "topologies/torus.h"

namespace pipegraph {

struct StarOptions {};

/// How network cards are wired to the ports of the fabric: a node's cards side by side, or (rails)
/// cards of equal position of `block` nodes side by side, so that they meet at one leaf.
enum class Wiring : std::uint8_t { ByNode, ByRail };

using FabricOptions = std::variant<StarOptions, FatTreeOptions, DragonflyOptions, TorusOptions>;

struct NodeClusterOptions {
  std::string name = "node_cluster";
  std::int64_t nodes = 1;
  NodeOptions node;
  Device device;
  /// Needed for several nodes. A torus has a switch per node; without network cards the nodes (of
  /// one device each) are its switches.
  FabricOptions fabric;
  Wiring wiring = Wiring::ByNode;
};

/// What is wrong with `options`, if anything. Keys of the fabric start with "fabric.".
std::optional<OptionProblem> find_problem(const NodeClusterOptions& options);

/// Device g of node n has index n x devices + g and the name "node<n>/gpu<g>". Links: those of node
/// 0, each network card's cable up and down included, then those of node 1, ..., then the fabric's.
/// `options` without problem.
Topology node_cluster(const NodeClusterOptions& options);

}  // namespace pipegraph
