#include "tests/topologies/fabric_checks.h"

#include <gtest/gtest.h>

#include <deque>

#include "tests/topologies/route_checks.h"

namespace pipegraph::test {

std::map<std::string, int> distances(const Fabric& fabric, const std::string& from,
                                     const std::function<bool(const Link&)>& usable) {
  std::multimap<std::string, std::string> next;
  for (const Link& link : fabric.links())
    if (usable(link)) next.emplace(start_of(link), end_of(link));
  std::map<std::string, int> distance{{from, 0}};
  std::deque<std::string> open{from};
  while (!open.empty()) {
    const std::string at = open.front();
    open.pop_front();
    const auto [first, last] = next.equal_range(at);
    for (auto it = first; it != last; ++it)
      if (distance.emplace(it->second, distance[at] + 1).second) open.push_back(it->second);
  }
  return distance;
}

void expect_shortest_routes(
    const Fabric& fabric,
    const std::function<bool(std::int64_t from, std::int64_t to, const Link&)>& usable) {
  const std::vector<Link> links = fabric.links();
  ASSERT_EQ(static_cast<std::int64_t>(links.size()), fabric.link_count());
  for (std::int64_t from = 0; from < fabric.ports(); ++from)
    for (std::int64_t to = 0; to < fabric.ports(); ++to) {
      const auto route = fabric.route(from, to);
      std::string at = fabric.switch_of(from);
      for (std::int64_t link : route) {
        ASSERT_EQ(start_of(links[static_cast<std::size_t>(link)]), at);
        at = end_of(links[static_cast<std::size_t>(link)]);
      }
      ASSERT_EQ(at, fabric.switch_of(to));
      const auto distance = distances(fabric, fabric.switch_of(from),
                                      [&](const Link& link) { return usable(from, to, link); });
      ASSERT_EQ(static_cast<int>(route.size()), distance.at(at)) << from << " to " << to;
    }
}

}  // namespace pipegraph::test
