// Links that differ from what their shape says: a cable at half its rate, a slow card.
#pragma once

#include <vector>

#include "core/base/yaml_reader.h"
#include "core/cluster/topology.h"

namespace pipegraph {

/// `links` with the entries of the list `value` applied in order, each `{match: M, bandwidth,
/// latency}` with one of the two at least. M is a pattern of link names ("node1/nic0->*", with *
/// and ?) or a list of them. Errors: ConfigError, also for a pattern that matches nothing.
std::vector<Link> read_link_overrides(const YamlValue& value, std::vector<Link> links);

}  // namespace pipegraph
