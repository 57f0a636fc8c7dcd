#include "topologies/cluster_reader.h"

#include <filesystem>
#include <string>
#include <utility>
#include <vector>

#include "topologies/device_reader.h"
#include "topologies/link_overrides.h"
#include "topologies/table.h"

namespace pipegraph {
namespace {

/// A cluster's own map, and where its name comes from if it does not give one.
struct Resolved {
  YamlValue value;
  std::string stem;  ///< of the file it stands in; empty: in place
};

/// Follows `file:` to the file that names the shape; `hops` are left before it is called a loop.
Resolved resolve(const YamlValue& value, int hops) {
  if (!value.is_map()) value.fail("is no cluster", "a map with 'file' or 'shape'");
  const auto file = value.find("file");
  if (!file) return {value, {}};
  if (hops == 0) file->fail("too many files refer to each other", "a file with a 'shape'");
  const std::filesystem::path path = file->as_path();
  Resolved base = resolve(file->load_named(), hops - 1);
  return {base.value.merged_with(value.without("file")), path.stem().string()};
}

const TopologyShape& find_shape(const YamlValue& name) {
  std::vector<std::string> names;
  for (const TopologyShape& shape : topology_shapes()) names.push_back(shape.name);
  return topology_shapes()[name.as_choice(names)];
}

}  // namespace

Topology read_cluster(const YamlValue& value) {
  constexpr int k_most_hops = 8;
  const Resolved resolved = resolve(value, k_most_hops);
  MapReader reader(resolved.value, "a cluster");
  reader.optional("file");
  const TopologyShape& shape = find_shape(reader.required("shape"));
  Topology cluster = shape.read(reader);
  if (auto name = reader.optional("name"))
    cluster = std::move(cluster).with_name(name->as_string());
  else if (!resolved.stem.empty())
    cluster = std::move(cluster).with_name(resolved.stem);
  if (auto overrides = reader.optional("device_overrides"))
    cluster = cluster.with_devices(read_device_overrides(*overrides, cluster.devices()));
  if (auto overrides = reader.optional("link_overrides"))
    cluster = cluster.with_links(read_link_overrides(*overrides, cluster.links()));
  reader.finish();
  return cluster;
}

}  // namespace pipegraph
