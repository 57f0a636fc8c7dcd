#include "topologies/node_cluster.h"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "core/base/errors.h"
#include "core/base/overloaded.h"
#include "topologies/star.h"

namespace pipegraph {
namespace {

/// Which port of the fabric each network card of the cluster has.
class Ports {
 public:
  explicit Ports(const NodeClusterOptions& options)
      : nodes_(options.nodes),
        per_node_(options.node.nics ? options.node.nics->per_node : 1),
        block_(block_of(options)) {}

  std::int64_t count() const { return (nodes_ + block_ - 1) / block_ * block_ * per_node_; }
  std::int64_t port(std::int64_t node, std::int64_t nic) const {
    return (node / block_ * per_node_ + nic) * block_ + node % block_;
  }

 private:
  static std::int64_t block_of(const NodeClusterOptions& options) {
    const auto* tree = std::get_if<FatTreeOptions>(&options.fabric);
    return tree && options.wiring == Wiring::ByRail ? tree->ports_per_leaf : 1;
  }
  std::int64_t nodes_;
  std::int64_t per_node_;
  std::int64_t block_;  ///< nodes whose cards of equal position share a leaf
};

std::unique_ptr<Fabric> make_fabric(const NodeClusterOptions& options, std::int64_t ports) {
  using Pointer = std::unique_ptr<Fabric>;
  return std::visit(
      Overloaded{
          [&](const StarOptions&) -> Pointer { return std::make_unique<Star>(ports); },
          [&](const FatTreeOptions& tree) -> Pointer {
            return std::make_unique<FatTree>(ports, tree);
          },
          [&](const DragonflyOptions& dragonfly) -> Pointer {
            return std::make_unique<Dragonfly>(ports, dragonfly);
          },
          [&](TorusOptions torus) -> Pointer {
            torus.ports_per_switch = options.node.nics ? options.node.nics->per_node : 1;
            return std::make_unique<Torus>(torus);
          },
      },
      options.fabric);
}

/// Numbers of the cluster's links and the ways over them.
class NodeClusterRouter : public Router {
 public:
  explicit NodeClusterRouter(const NodeClusterOptions& options)
      : layout_(options.node),
        ports_(options),
        nodes_(options.nodes),
        fabric_(nodes_ > 1 ? make_fabric(options, ports_.count()) : nullptr),
        nics_(nodes_ > 1 ? layout_.nics() : 0) {}

  std::vector<LinkId> links(DeviceId from, DeviceId to) const override {
    const Place source = place(from);
    const Place target = place(to);
    if (source.node == target.node)
      return in_node({}, source.node, layout_.between(source.device, target.device));
    return between_nodes(source, target);
  }

  std::int64_t link_count() const {
    return nodes_ * links_per_node() + (fabric_ ? fabric_->link_count() : 0);
  }
  const NodeLayout& layout() const { return layout_; }
  std::vector<Link> make_links(const std::optional<Nics>& nics) const;

 private:
  struct Place {
    std::int64_t node = 0;
    int device = 0;
  };
  Place place(DeviceId id) const {
    return {id.value / layout_.devices(), static_cast<int>(id.value % layout_.devices())};
  }
  std::int64_t links_per_node() const {
    return static_cast<std::int64_t>(layout_.links().size()) + 2 * nics_;
  }
  /// The cable of a network card towards the fabric; the one from it is the next.
  LinkId nic_link(std::int64_t node, std::int64_t nic) const {
    return LinkId{static_cast<std::int32_t>(
        node * links_per_node() + static_cast<std::int64_t>(layout_.links().size()) + 2 * nic)};
  }
  std::vector<LinkId> in_node(std::vector<LinkId> crossed, std::int64_t node,
                              const std::vector<int>& numbers) const {
    for (int number : numbers)
      crossed.push_back(LinkId{static_cast<std::int32_t>(node * links_per_node() + number)});
    return crossed;
  }
  std::vector<LinkId> between_nodes(Place source, Place target) const;

  NodeLayout layout_;
  Ports ports_;
  std::int64_t nodes_;
  std::unique_ptr<Fabric> fabric_;  ///< none in a cluster of one node
  int nics_;                        ///< with a cable, per node
};

std::vector<LinkId> NodeClusterRouter::between_nodes(Place source, Place target) const {
  const int nic_out = nics_ > 0 ? layout_.nic_of(source.device) : 0;
  const int nic_in = nics_ > 0 ? layout_.nic_of(target.device) : 0;
  std::vector<LinkId> crossed;
  if (nics_ > 0) {
    crossed = in_node(std::move(crossed), source.node, layout_.to_nic(source.device));
    crossed.push_back(nic_link(source.node, nic_out));
  }
  const std::int64_t first = nodes_ * links_per_node();
  for (std::int64_t number :
       fabric_->route(ports_.port(source.node, nic_out), ports_.port(target.node, nic_in)))
    crossed.push_back(LinkId{static_cast<std::int32_t>(first + number)});
  if (nics_ == 0) return crossed;
  crossed.push_back(LinkId{nic_link(target.node, nic_in).value + 1});
  return in_node(std::move(crossed), target.node, layout_.from_nic(target.device));
}

std::vector<Link> NodeClusterRouter::make_links(const std::optional<Nics>& nics) const {
  std::vector<Link> all;
  all.reserve(static_cast<std::size_t>(link_count()));
  for (std::int64_t node = 0; node < nodes_; ++node) {
    const std::string prefix = fmt::format("node{}/", node);
    for (const NodeLink& link : layout_.links())
      all.push_back(
          {prefix + link.from + "->" + prefix + link.to, link.rate.bandwidth, link.rate.latency});
    for (int nic = 0; nic < nics_; ++nic) {
      const std::string card = fmt::format("{}nic{}", prefix, nic);
      const std::string leaf = fabric_->switch_of(ports_.port(node, nic));
      all.push_back({card + "->" + leaf, nics->port.bandwidth, nics->port.latency});
      all.push_back({leaf + "->" + card, nics->port.bandwidth, nics->port.latency});
    }
  }
  if (fabric_) {
    std::vector<Link> outer = fabric_->links();
    std::ranges::move(outer, std::back_inserter(all));
  }
  return all;
}

std::vector<Device> make_devices(const NodeClusterOptions& options, const NodeLayout& layout) {
  std::vector<Device> all;
  all.reserve(static_cast<std::size_t>(options.nodes * layout.devices()));
  for (std::int64_t node = 0; node < options.nodes; ++node)
    for (int index = 0; index < layout.devices(); ++index) {
      Device& device = all.emplace_back(options.device);
      device.name = fmt::format("node{}/gpu{}", node, index);
      device.node = static_cast<int>(node);
      device.socket = layout.socket_of(index);
    }
  return all;
}

std::optional<OptionProblem> in_fabric(std::optional<OptionProblem> problem) {
  if (problem) problem->key = "fabric." + problem->key;
  return problem;
}

std::optional<OptionProblem> problem_of_fabric(const NodeClusterOptions& options) {
  const std::int64_t ports = Ports(options).count();
  if (const auto* tree = std::get_if<FatTreeOptions>(&options.fabric))
    return in_fabric(find_problem(*tree));
  if (const auto* dragonfly = std::get_if<DragonflyOptions>(&options.fabric))
    return in_fabric(find_problem(*dragonfly, ports));
  const auto* torus = std::get_if<TorusOptions>(&options.fabric);
  if (torus && points(*torus) != options.nodes)
    return OptionProblem{
        "fabric.dimensions",
        fmt::format("the dimensions make {} points for {} nodes",
                    points(*torus) == 0 ? "too many" : fmt::to_string(points(*torus)),
                    options.nodes),
        "dimensions whose product is the number of nodes"};
  return std::nullopt;
}

std::optional<OptionProblem> problem_between_nodes(const NodeClusterOptions& options) {
  if (options.nodes == 1 || options.node.nics) return std::nullopt;
  if (!std::holds_alternative<TorusOptions>(options.fabric))
    return OptionProblem{"", fmt::format("the {} nodes have no network cards", options.nodes),
                         "nics: {per_node, bandwidth, latency}"};
  if (options.node.devices > 1)
    return OptionProblem{"", "several devices per node but no network cards",
                         "nics: {per_node, bandwidth, latency}, or devices_per_node: 1"};
  return std::nullopt;
}

}  // namespace

std::optional<OptionProblem> find_problem(const NodeClusterOptions& options) {
  if (options.nodes > k_most_devices / options.node.devices)
    return OptionProblem{"nodes",
                         fmt::format("{} nodes of {} devices", options.nodes, options.node.devices),
                         fmt::format("at most {} devices in all", k_most_devices)};
  if (auto problem = find_problem(options.node)) return problem;
  if (auto problem = problem_between_nodes(options)) return problem;
  if (auto problem = problem_of_fabric(options)) return problem;
  const std::int64_t links = NodeClusterRouter(options).link_count();
  if (links > k_most_links)
    return OptionProblem{"", fmt::format("the cluster has {} links", links),
                         fmt::format("at most {}", k_most_links)};
  return std::nullopt;
}

Topology node_cluster(const NodeClusterOptions& options) {
  check(!find_problem(options), "a cluster has sound options");
  auto router = std::make_shared<NodeClusterRouter>(options);
  std::vector<Device> devices = make_devices(options, router->layout());
  std::vector<Link> links = router->make_links(options.node.nics);
  return Topology(options.name, std::move(devices), std::move(links), std::move(router));
}

}  // namespace pipegraph
