#include "tests/topologies/route_checks.h"

#include <set>

namespace pipegraph::test {
namespace {

bool is_card(const std::string& name) { return name.find("/nic") != std::string::npos; }
std::string node_of(const std::string& name) { return name.substr(0, name.find('/')); }
bool is_device(const std::string& name) { return name.find("gpu") != std::string::npos; }

/// A card has no link of its own to the part of the node at which it hangs.
bool meet(const std::string& end, const std::string& start) {
  return end == start || ((is_card(end) || is_card(start)) && node_of(end) == node_of(start));
}

void expect_sound(const Topology& cluster, DeviceId from, DeviceId to) {
  const Route route = cluster.route(from, to);
  ASSERT_FALSE(route.links.empty());
  std::set<LinkId> crossed;
  Seconds latency{0};
  std::string at = cluster.device(from).name;
  for (LinkId id : route.links) {
    ASSERT_LT(id.index(), cluster.links().size());
    const Link& link = cluster.link(id);
    // A torus without cards starts at a switch that is the device.
    if (is_device(start_of(link)) || is_card(start_of(link)) || !is_device(at)) {
      EXPECT_TRUE(meet(at, start_of(link))) << at << " then " << link.name;
    }
    at = end_of(link);
    latency += link.latency;
    EXPECT_TRUE(crossed.insert(id).second) << link.name << " is crossed twice";
  }
  if (is_device(at) || is_card(at)) {
    EXPECT_TRUE(meet(at, cluster.device(to).name)) << at;
  }
  EXPECT_EQ(route.latency, latency);
}

}  // namespace

std::string start_of(const Link& link) { return link.name.substr(0, link.name.find("->")); }
std::string end_of(const Link& link) { return link.name.substr(link.name.find("->") + 2); }

std::vector<std::string> names(const Topology& cluster, DeviceId from, DeviceId to) {
  std::vector<std::string> all;
  for (LinkId id : cluster.route(from, to).links) all.push_back(cluster.link(id).name);
  return all;
}

void expect_sound_routes(const Topology& cluster) {
  for (std::size_t from = 0; from < cluster.size(); ++from)
    for (std::size_t to = 0; to < cluster.size(); ++to)
      if (from != to) expect_sound(cluster, make_id<DeviceId>(from), make_id<DeviceId>(to));
}

}  // namespace pipegraph::test
