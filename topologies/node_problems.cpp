#include <fmt/format.h>

#include <algorithm>
#include <set>
#include <utility>

#include "topologies/node_layout.h"

namespace pipegraph {
namespace {

using Problem = std::optional<OptionProblem>;

Problem problem_of_sockets(const NodeOptions& options) {
  if (options.devices_per_socket == 0 ||
      options.devices <= options.sockets * options.devices_per_socket)
    return std::nullopt;
  return OptionProblem{"devices_per_socket",
                       fmt::format("{} sockets of {} devices do not hold {}", options.sockets,
                                   options.devices_per_socket, options.devices),
                       "at least devices_per_node / sockets"};
}

Problem problem_of_pairs(const DevicePairs& all) {
  std::set<std::pair<int, int>> seen;
  for (const DevicePairs::Pair& pair : all.pairs) {
    if (pair.first == pair.second)
      return OptionProblem{"device_links",
                           fmt::format("device {} is paired with itself", pair.first),
                           "two different devices"};
    if (!seen.insert(std::minmax(pair.first, pair.second)).second)
      return OptionProblem{"device_links",
                           fmt::format("pair {}, {} is named twice", pair.first, pair.second),
                           "each pair once, with its number of lanes"};
  }
  return std::nullopt;
}

/// Two devices that only the host can connect, if there are such.
std::optional<std::pair<int, int>> pair_through_host(const NodeOptions& options) {
  if (options.devices < 2 || std::holds_alternative<NvSwitch>(options.device_links))
    return std::nullopt;
  if (std::holds_alternative<FullMesh>(options.device_links)) {
    const int per_socket = options.devices_per_socket > 0
                               ? options.devices_per_socket
                               : (options.devices + options.sockets - 1) / options.sockets;
    if (options.devices <= per_socket) return std::nullopt;
    return std::pair{0, per_socket};
  }
  std::set<std::pair<int, int>> linked;
  if (const auto* all = std::get_if<DevicePairs>(&options.device_links))
    for (const DevicePairs::Pair& pair : all->pairs)
      linked.insert(std::minmax(pair.first, pair.second));
  for (int a = 0; a < options.devices; ++a)
    for (int b = a + 1; b < options.devices; ++b)
      if (!linked.contains({a, b})) return std::pair{a, b};
  return std::nullopt;
}

Problem problem_of_host(const NodeOptions& options) {
  if (options.pcie && !options.host)
    return OptionProblem{"pcie_switches", "devices have no link to a PCIe switch",
                         "host: {bandwidth, latency}"};
  if (options.socket_link && options.sockets == 1)
    return OptionProblem{"socket_link", "the node has one socket", "sockets: 2 or more"};
  const auto pair = pair_through_host(options);
  if (pair && !options.host)
    return OptionProblem{"",
                         fmt::format("devices {} and {} of a node have no way to each other",
                                     pair->first, pair->second),
                         "device_links that join them, or host: {bandwidth, latency}"};
  const bool crosses = pair || (options.nics && options.nics->per_node < options.sockets);
  if (crosses && options.host && options.sockets > 1 && !options.socket_link)
    return OptionProblem{"sockets", "the sockets have no way to each other",
                         "socket_link: {bandwidth, latency}"};
  return std::nullopt;
}

Problem problem_of_nics(const NodeOptions& options) {
  if (!options.nics) return std::nullopt;
  const int nics = options.nics->per_node;
  if (nics % options.sockets != 0 && options.sockets % nics != 0)
    return OptionProblem{
        "nics", fmt::format("{} cards do not spread evenly over {} sockets", nics, options.sockets),
        "a multiple or a divisor of the number of sockets"};
  if (options.nics->place == NicPlace::Socket) return std::nullopt;
  if (!options.pcie)
    return OptionProblem{"nics", "the node has no PCIe switches", "pcie_switches, or on: socket"};
  if (nics < options.sockets)
    return OptionProblem{"nics", "there are fewer cards than sockets", "on: socket"};
  return std::nullopt;
}

}  // namespace

std::optional<OptionProblem> find_problem(const NodeOptions& options) {
  if (auto problem = problem_of_sockets(options)) return problem;
  if (const auto* pairs = std::get_if<DevicePairs>(&options.device_links))
    if (auto problem = problem_of_pairs(*pairs)) return problem;
  if (auto problem = problem_of_host(options)) return problem;
  return problem_of_nics(options);
}

}  // namespace pipegraph
