#include "topologies/node_reader.h"

#include <array>
#include <string>

#include "topologies/link_reader.h"

namespace pipegraph {
namespace {

/// A node's devices are paired in a table, so they are fewer than a cluster's.
constexpr std::int64_t k_most_per_node = 1024;

int read_count(const YamlValue& value) {
  return static_cast<int>(value.as_integer(1, k_most_per_node));
}

int read_device_index(const YamlValue& value) {
  return static_cast<int>(value.as_integer(0, k_most_per_node - 1));
}

DeviceLinks read_full_mesh(MapReader& reader) { return FullMesh{read_link_rate(reader)}; }

DeviceLinks read_pairs(MapReader& reader) {
  DevicePairs all{read_link_rate(reader), {}};
  for (const YamlValue& entry : reader.required("pairs").items()) {
    const std::vector<YamlValue> parts = entry.items();
    if (parts.size() < 2 || parts.size() > 3)
      entry.fail("is no pair", "[device, device] or [device, device, lanes]");
    all.pairs.push_back({read_device_index(parts[0]), read_device_index(parts[1]),
                         parts.size() == 3 ? read_count(parts[2]) : 1});
  }
  return all;
}

DeviceLinks read_nvswitch(MapReader& reader) { return NvSwitch{read_link_rate(reader)}; }

DeviceLinks read_device_links(const YamlValue& value) {
  static const std::array<std::string, 3> k_kinds{"full_mesh", "pairs", "nvswitch"};
  static constexpr std::array k_readers{read_full_mesh, read_pairs, read_nvswitch};
  MapReader reader(value, "device links");
  const DeviceLinks links = k_readers.at(reader.required("kind").as_choice(k_kinds))(reader);
  reader.finish();
  return links;
}

PcieSwitches read_pcie_switches(const YamlValue& value) {
  MapReader reader(value, "PCIe switches");
  PcieSwitches switches{read_count(reader.required("devices")), read_link_rate(reader)};
  reader.finish();
  return switches;
}

Nics read_nics(const YamlValue& value) {
  static const std::array<std::string, 2> k_places{"socket", "pcie_switch"};
  MapReader reader(value, "network cards");
  Nics nics{read_count(reader.required("per_node")), read_link_rate(reader)};
  if (auto on = reader.optional("on"))
    nics.place = on->as_choice(k_places) == 1 ? NicPlace::PcieSwitch : NicPlace::Socket;
  reader.finish();
  return nics;
}

}  // namespace

NodeOptions read_node(MapReader& reader) {
  NodeOptions node;
  node.devices = read_count(reader.required("devices_per_node"));
  if (auto key = reader.optional("sockets")) node.sockets = read_count(*key);
  if (auto key = reader.optional("devices_per_socket")) node.devices_per_socket = read_count(*key);
  if (auto key = reader.optional("device_links")) node.device_links = read_device_links(*key);
  if (auto key = reader.optional("host")) node.host = read_link_rate(*key);
  if (auto key = reader.optional("pcie_switches")) node.pcie = read_pcie_switches(*key);
  if (auto key = reader.optional("socket_link")) node.socket_link = read_link_rate(*key);
  if (auto key = reader.optional("nics")) node.nics = read_nics(*key);
  return node;
}

}  // namespace pipegraph
