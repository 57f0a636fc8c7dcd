#include "topologies/fabric_reader.h"

#include <array>
#include <string>

#include "topologies/link_reader.h"

namespace pipegraph {
namespace {

std::int64_t read_count(const YamlValue& value) { return value.as_integer(1, k_most_devices); }

std::int64_t read_count(MapReader& reader, const std::string& key) {
  return read_count(reader.required(key));
}

ReadFabric read_star(MapReader& /*reader*/) { return {StarOptions{}}; }

void read_taper(const YamlValue& value, FatTreeOptions& options) {
  if (!value.is_sequence()) {
    options.leaf_taper = value.as_double();
    return;
  }
  const std::vector<YamlValue> tapers = value.items();
  if (tapers.empty() || tapers.size() > 2)
    value.fail("too few or too many tapers", "one of the leaves, then one of the spines");
  options.leaf_taper = tapers[0].as_double();
  if (tapers.size() == 2) options.spine_taper = tapers[1].as_double();
}

ReadFabric read_fat_tree(MapReader& reader) {
  static const std::array<std::string, 2> k_wirings{"by_node", "by_rail"};
  FatTreeOptions options;
  options.ports_per_leaf = read_count(reader, "ports_per_leaf");
  if (auto leaves = reader.optional("leaves_per_pod")) options.leaves_per_pod = read_count(*leaves);
  if (auto taper = reader.optional("taper")) read_taper(*taper, options);
  options.cable = read_link_rate(reader);
  ReadFabric fabric{options};
  if (auto wiring = reader.optional("wiring"))
    fabric.wiring = wiring->as_choice(k_wirings) == 1 ? Wiring::ByRail : Wiring::ByNode;
  return fabric;
}

ReadFabric read_dragonfly(MapReader& reader) {
  DragonflyOptions options;
  options.ports_per_switch = read_count(reader, "ports_per_switch");
  options.switches_per_group = read_count(reader, "switches_per_group");
  options.global_cables_per_switch = read_count(reader, "global_cables_per_switch");
  options.local = read_link_rate(reader.required("local"));
  options.global = read_link_rate(reader.required("global"));
  return {options};
}

ReadFabric read_torus(MapReader& reader) {
  constexpr std::size_t k_most_dimensions = 8;
  TorusOptions options;
  const YamlValue dimensions = reader.required("dimensions");
  for (const YamlValue& size : dimensions.items()) options.dimensions.push_back(read_count(size));
  if (options.dimensions.empty() || options.dimensions.size() > k_most_dimensions)
    dimensions.fail("too few or too many dimensions", "1 to 8 sizes, e.g. [4, 4, 4]");
  options.cable = read_link_rate(reader);
  return {options};
}

}  // namespace

ReadFabric read_fabric(const YamlValue& value) {
  static const std::array<std::string, 4> k_kinds{"star", "fat_tree", "dragonfly", "torus"};
  static constexpr std::array k_readers{read_star, read_fat_tree, read_dragonfly, read_torus};
  MapReader reader(value, "a fabric");
  const ReadFabric fabric = k_readers.at(reader.required("kind").as_choice(k_kinds))(reader);
  reader.finish();
  return fabric;
}

}  // namespace pipegraph
