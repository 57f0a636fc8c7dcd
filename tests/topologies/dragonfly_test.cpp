#include "topologies/dragonfly.h"

#include <gtest/gtest.h>

#include <map>
#include <string>

#include "tests/topologies/fabric_checks.h"
#include "tests/topologies/route_checks.h"

namespace pipegraph {
namespace {

std::string group(const std::string& name) { return name.substr(0, name.find('.')); }

/// Minimal routing uses the links of the two groups and between them only.
auto minimal(const Fabric& fabric) {
  return [&fabric](std::int64_t from, std::int64_t to, const Link& link) {
    const std::string a = group(fabric.switch_of(from));
    const std::string b = group(fabric.switch_of(to));
    const auto inside = [&](const std::string& end) { return group(end) == a || group(end) == b; };
    return inside(test::start_of(link)) && inside(test::end_of(link));
  };
}

TEST(Dragonfly, RoutesAreMinimal) {
  for (const auto& [ports, options] : std::map<std::int64_t, DragonflyOptions>{
           {18, {.ports_per_switch = 1, .switches_per_group = 2, .global_cables_per_switch = 4}},
           {36, {.ports_per_switch = 2, .switches_per_group = 2, .global_cables_per_switch = 5}},
           {40, {.ports_per_switch = 2, .switches_per_group = 4, .global_cables_per_switch = 1}},
           {23, {.ports_per_switch = 3, .switches_per_group = 4, .global_cables_per_switch = 1}}}) {
    const Dragonfly dragonfly(ports, options);
    test::expect_shortest_routes(dragonfly, minimal(dragonfly));
  }
}

TEST(Dragonfly, CrossesLocalGlobalLocal) {
  // 3 groups of 2 switches. Group 0 reaches group 1 by cable 0 at switch 0, group 2 by cable 1 at
  // switch 1; group 2 reaches group 0 by cable 0 at switch 0.
  const Dragonfly dragonfly(
      6, {.ports_per_switch = 1, .switches_per_group = 2, .global_cables_per_switch = 1});
  const std::vector<Link> links = dragonfly.links();
  std::vector<std::string> crossed;
  for (std::int64_t link : dragonfly.route(0, 5))
    crossed.push_back(links[static_cast<std::size_t>(link)].name);
  EXPECT_EQ(crossed, (std::vector<std::string>{"group0.switch0->group0.switch1",
                                               "group0.switch1->group2.switch0",
                                               "group2.switch0->group2.switch1"}));
}

TEST(Dragonfly, NoSwitchHasMoreGlobalCablesThanItMay) {
  // 9 groups: 8 cables on 4 switches are 2 each.
  const Dragonfly dragonfly(
      36, {.ports_per_switch = 1, .switches_per_group = 4, .global_cables_per_switch = 2});
  std::map<std::string, int> cables;
  for (const Link& link : dragonfly.links())
    if (group(test::start_of(link)) != group(test::end_of(link))) ++cables[test::start_of(link)];
  ASSERT_EQ(cables.size(), 36U);
  for (const auto& [name, count] : cables) EXPECT_EQ(count, 2) << name;
}

TEST(Dragonfly, RefusesMoreGroupsThanItsCablesReach) {
  const DragonflyOptions options{.ports_per_switch = 1, .switches_per_group = 2};
  EXPECT_FALSE(find_problem(options, 6));  // 3 groups: 2 others, 2 cables
  EXPECT_TRUE(find_problem(options, 7));
}

}  // namespace
}  // namespace pipegraph
