// Routes of a fabric against breadth-first search over its links.
#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <string>

#include "topologies/fabric.h"

namespace pipegraph::test {

/// Fewest links from one switch to every other, over the links that `usable` admits.
std::map<std::string, int> distances(const Fabric& fabric, const std::string& from,
                                     const std::function<bool(const Link&)>& usable);

/// Every route is connected, starts and ends at its ports' switches, and is as short as the fewest
/// links between the two over the links that `usable` admits for them.
void expect_shortest_routes(
    const Fabric& fabric,
    const std::function<bool(std::int64_t from, std::int64_t to, const Link&)>& usable);

}  // namespace pipegraph::test
