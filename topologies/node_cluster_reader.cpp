#include "topologies/node_cluster_reader.h"

#include <string>
#include <string_view>

#include "topologies/device_reader.h"
#include "topologies/fabric_reader.h"
#include "topologies/node_cluster.h"
#include "topologies/node_reader.h"

namespace pipegraph {
namespace {

/// The value at a dotted path as far as it exists.
YamlValue deepest(const YamlValue& value, std::string_view path) {
  const std::size_t dot = path.find('.');
  if (path.empty() || !value.is_map()) return value;
  const auto next = value.find(path.substr(0, dot));
  if (!next || dot == std::string_view::npos) return next.value_or(value);
  return deepest(*next, path.substr(dot + 1));
}

}  // namespace

Topology read_node_cluster(MapReader& reader) {
  NodeClusterOptions options;
  options.nodes = reader.required("nodes").as_integer(1, k_most_devices);
  options.node = read_node(reader);
  if (auto device = reader.optional("device")) options.device = read_device(*device);
  if (auto key = reader.optional("fabric")) {
    ReadFabric fabric = read_fabric(*key);
    options.fabric = std::move(fabric.options);
    options.wiring = fabric.wiring;
  }
  if (const auto problem = find_problem(options))
    deepest(reader.value(), problem->key).fail(problem->problem, problem->expected);
  return node_cluster(options);
}

}  // namespace pipegraph
