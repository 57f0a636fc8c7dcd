// What must hold of every route of every cluster, read off the names of the links ("from->to").
#pragma once

#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "core/cluster/topology.h"

namespace pipegraph::test {

/// The two ends of a link.
std::string start_of(const Link& link);
std::string end_of(const Link& link);

std::vector<std::string> names(const Topology& cluster, DeviceId from, DeviceId to);

/// Every pair of devices has a route; its links meet end to end (a network card hangs where the
/// link before it ends) and start and end at the devices; no link is crossed twice; latency is
/// their sum.
void expect_sound_routes(const Topology& cluster);

}  // namespace pipegraph::test
