#include "topologies/node_layout.h"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "core/base/errors.h"
#include "core/base/overloaded.h"

namespace pipegraph {
namespace {

int ceil_div(int a, int b) { return (a + b - 1) / b; }

int capacity_of_socket(const NodeOptions& options) {
  return options.devices_per_socket > 0 ? options.devices_per_socket
                                        : ceil_div(options.devices, options.sockets);
}

std::string gpu(int index) { return fmt::format("gpu{}", index); }
std::string pcie(int index) { return fmt::format("pcie{}", index); }
std::string socket(int index) { return fmt::format("socket{}", index); }

}  // namespace

NodeLayout::NodeLayout(const NodeOptions& options)
    : options_(options), devices_per_socket_(capacity_of_socket(options)) {
  check(!find_problem(options), "a node has sound options");
  add_device_links();
  add_host();
}

int NodeLayout::add(std::string from, std::string to, const LinkRate& rate) {
  links_.push_back({std::move(from), std::move(to), rate});
  return static_cast<int>(links_.size()) - 1;
}

void NodeLayout::add_device_links() {
  const int n = options_.devices;
  const auto connect = [this, n](int a, int b, const LinkRate& rate) {
    direct_.resize(static_cast<std::size_t>(n) * static_cast<std::size_t>(n), -1);
    direct_[static_cast<std::size_t>(a * n + b)] = add(gpu(a), gpu(b), rate);
  };
  const auto add_mesh = [&](const FullMesh& mesh) {
    for (int a = 0; a < n; ++a)
      for (int b = 0; b < n; ++b)
        if (a != b && socket_of(a) == socket_of(b)) connect(a, b, mesh.link);
  };
  const auto add_pairs = [&](const DevicePairs& all) {
    for (const DevicePairs::Pair& pair : all.pairs) {
      if (pair.first >= n || pair.second >= n) continue;
      const LinkRate rate{{all.lane.bandwidth.value * pair.lanes}, all.lane.latency};
      connect(pair.first, pair.second, rate);
      connect(pair.second, pair.first, rate);
    }
  };
  const auto add_switch = [&](const NvSwitch& nvswitch) {
    first_switch_port_ = static_cast<int>(links_.size());
    const LinkRate half{nvswitch.port.bandwidth, nvswitch.port.latency / 2};
    for (int device = 0; device < n; ++device) {
      add(gpu(device), "nvswitch", half);
      add("nvswitch", gpu(device), half);
    }
  };
  std::visit(Overloaded{[](std::monostate) {}, add_mesh, add_pairs, add_switch},
             options_.device_links);
}

void NodeLayout::add_host() {
  if (!options_.host) return;
  first_host_ = static_cast<int>(links_.size());
  for (int device = 0; device < options_.devices; ++device) {
    const Place place = place_of(device);
    const std::string above = place.pcie >= 0 ? pcie(place.pcie) : socket(place.socket);
    add(gpu(device), above, *options_.host);
    add(above, gpu(device), *options_.host);
  }
  if (options_.pcie) {
    first_pcie_ = static_cast<int>(links_.size());
    for (int index = 0; index < options_.sockets * pcie_per_socket(); ++index) {
      const std::string above = socket(index / pcie_per_socket());
      add(pcie(index), above, options_.pcie->uplink);
      add(above, pcie(index), options_.pcie->uplink);
    }
  }
  if (options_.socket_link) {
    first_socket_link_ = static_cast<int>(links_.size());
    for (int from = 0; from < options_.sockets; ++from)
      for (int to = 0; to < options_.sockets; ++to)
        if (from != to) add(socket(from), socket(to), *options_.socket_link);
  }
}

int NodeLayout::pcie_per_socket() const {
  return ceil_div(devices_per_socket_, options_.pcie->devices);
}

NodeLayout::Place NodeLayout::place_of(int device) const {
  const int on = socket_of(device);
  if (!options_.pcie) return {-1, on};
  const int within = device % devices_per_socket_ / options_.pcie->devices;
  return {on * pcie_per_socket() + within, on};
}

NodeLayout::Place NodeLayout::place_of_nic(int nic) const {
  const int on = nic * options_.sockets / nics();
  if (options_.nics->place == NicPlace::Socket) return {-1, on};
  const int per_socket = nics() / options_.sockets;
  return {on * pcie_per_socket() + nic % per_socket * pcie_per_socket() / per_socket, on};
}

int NodeLayout::nic_of(int device) const {
  const int on = socket_of(device);
  if (nics() < options_.sockets) return on * nics() / options_.sockets;
  const int per_socket = nics() / options_.sockets;
  return on * per_socket + device % devices_per_socket_ * per_socket / devices_per_socket_;
}

std::vector<int> NodeLayout::through_host(Place from, Place to) const {
  std::vector<int> crossed;
  if (from.pcie >= 0 && from.pcie == to.pcie) return crossed;
  if (from.pcie >= 0) crossed.push_back(first_pcie_ + 2 * from.pcie);
  if (from.socket != to.socket)
    crossed.push_back(first_socket_link_ + from.socket * (options_.sockets - 1) +
                      (to.socket < from.socket ? to.socket : to.socket - 1));
  if (to.pcie >= 0) crossed.push_back(first_pcie_ + 2 * to.pcie + 1);
  return crossed;
}

std::vector<int> NodeLayout::between(int from, int to) const {
  if (first_switch_port_ >= 0)
    return {first_switch_port_ + 2 * from, first_switch_port_ + 2 * to + 1};
  if (!direct_.empty()) {
    const int link = direct_[static_cast<std::size_t>(from * options_.devices + to)];
    if (link >= 0) return {link};
  }
  std::vector<int> crossed{first_host_ + 2 * from};
  const std::vector<int> inner = through_host(place_of(from), place_of(to));
  crossed.insert(crossed.end(), inner.begin(), inner.end());
  crossed.push_back(first_host_ + 2 * to + 1);
  return crossed;
}

std::vector<int> NodeLayout::to_nic(int device) const {
  if (first_host_ < 0) return {};
  std::vector<int> crossed{first_host_ + 2 * device};
  const std::vector<int> inner = through_host(place_of(device), place_of_nic(nic_of(device)));
  crossed.insert(crossed.end(), inner.begin(), inner.end());
  return crossed;
}

std::vector<int> NodeLayout::from_nic(int device) const {
  if (first_host_ < 0) return {};
  std::vector<int> crossed = through_host(place_of_nic(nic_of(device)), place_of(device));
  crossed.push_back(first_host_ + 2 * device + 1);
  return crossed;
}

}  // namespace pipegraph
