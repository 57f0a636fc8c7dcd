// The inside of one node: devices on sockets, the links between them, and their way to the network
// cards. All nodes of a cluster share one layout; links are numbered within the node.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <variant>
#include <vector>

#include "topologies/link_rate.h"

namespace pipegraph {

/// A link per ordered pair of devices of the same socket.
struct FullMesh {
  LinkRate link;
};
/// A link per direction between the named pairs of devices, of `lanes` times the lane's bandwidth.
struct DevicePairs {
  struct Pair {
    int first = 0;
    int second = 0;
    int lanes = 1;
  };
  LinkRate lane;
  std::vector<Pair> pairs;  ///< those with a device the node does not have are left out
};
/// An up and a down link per device to one perfect switch. Half of the latency is on each.
struct NvSwitch {
  LinkRate port;
};
using DeviceLinks = std::variant<std::monostate, FullMesh, DevicePairs, NvSwitch>;

/// Switches between devices and their socket, each with a link up and one down.
struct PcieSwitches {
  int devices = 1;  ///< per switch
  LinkRate uplink;
};

enum class NicPlace : std::uint8_t { Socket, PcieSwitch };

/// Network cards, spread evenly over the sockets; a device uses one of its own socket if there is
/// one.
struct Nics {
  int per_node = 1;
  LinkRate port;  ///< up link and down link
  NicPlace place = NicPlace::Socket;
};

struct NodeOptions {
  int devices = 1;
  int sockets = 1;
  int devices_per_socket = 0;    ///< sockets fill in order; 0: devices spread evenly
  DeviceLinks device_links;      ///< preferred; pairs without one take the host's way
  std::optional<LinkRate> host;  ///< between a device and its PCIe switch or socket
  std::optional<PcieSwitches> pcie;
  std::optional<LinkRate> socket_link;  ///< per ordered pair of sockets
  std::optional<Nics> nics;
};

/// What is wrong with `options`, if anything: two devices without a way to each other, parts that
/// need another one that is missing, network cards that cannot be spread evenly.
std::optional<OptionProblem> find_problem(const NodeOptions& options);

/// A link inside a node. An end is "gpu0", "pcie0", "socket0", "nvswitch" or "nic0".
struct NodeLink {
  std::string from;
  std::string to;
  LinkRate rate;
};

/// Ways inside a node, as link numbers in the order they are crossed.
class NodeLayout {
 public:
  /// `options` without problem.
  explicit NodeLayout(const NodeOptions& options);

  const std::vector<NodeLink>& links() const { return links_; }
  int devices() const { return options_.devices; }
  int nics() const { return options_.nics ? options_.nics->per_node : 0; }
  int socket_of(int device) const { return device / devices_per_socket_; }
  int nic_of(int device) const;

  std::vector<int> between(int from, int to) const;
  /// To the device's network card, and from it; the card's own cable is not part of it. Empty where
  /// devices have no host link: the card then hangs at the device.
  std::vector<int> to_nic(int device) const;
  std::vector<int> from_nic(int device) const;

 private:
  /// Where a way through the host starts or ends: at a PCIe switch (-1: none) of a socket.
  struct Place {
    int pcie = -1;
    int socket = 0;
  };
  int add(std::string from, std::string to, const LinkRate& rate);
  void add_device_links();
  void add_host();
  int pcie_per_socket() const;
  Place place_of(int device) const;
  Place place_of_nic(int nic) const;
  std::vector<int> through_host(Place from, Place to) const;

  NodeOptions options_;
  int devices_per_socket_;
  std::vector<NodeLink> links_;
  std::vector<int> direct_;  ///< link from device to device, row by row; -1: none; empty: no mesh
  int first_switch_port_ = -1;
  int first_host_ = -1;
  int first_pcie_ = -1;
  int first_socket_link_ = -1;
};

}  // namespace pipegraph
