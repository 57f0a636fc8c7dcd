// Collective algorithms as pure step lists, priced by the simulators and carried out by the
// executor.
#pragma once

#include <cstdint>
#include <span>
#include <string_view>
#include <vector>

namespace pipegraph {

/// One message of a collective between two members. Steps of a list are in a topological order. A
/// step starts when `after` (earlier steps of the list, e.g. the receiver-of-before's last recv)
/// has ended; otherwise steps run freely.
struct CollectiveStep {
  std::int32_t from = 0;  ///< member index
  std::int32_t to = 0;
  double bytes = 0.0;            ///< fractions allowed: n / d
  double extra_latencies = 0.0;  ///< aggregated flows: latencies of the steps folded into this one
  std::vector<std::int32_t> after;  ///< indices of earlier steps
};

/// What a collective needs to know of its members: which machine each sits in.
struct CollectiveMembers {
  std::vector<std::int32_t> node;  ///< by member index
};

struct CollectiveEntry {
  std::string_view name;         ///< "ring", "ring_aggregated", "hierarchical"
  std::string_view description;  ///< one line, with the closed form
  std::vector<CollectiveStep> (*steps)(double bytes, const CollectiveMembers& members);
};

std::span<const CollectiveEntry> collective_table();
const CollectiveEntry* find_collective(std::string_view name);

}  // namespace pipegraph
