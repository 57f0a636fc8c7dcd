#include <algorithm>
#include <map>

#include "core/collective/algorithms.h"
#include "core/collective/ring_phase.h"

namespace pipegraph {
namespace {

/// Members by node, nodes in order of first use; empty if their numbers differ.
std::vector<std::vector<std::int32_t>> equal_nodes(const CollectiveMembers& members) {
  std::vector<std::vector<std::int32_t>> nodes;
  std::map<std::int32_t, std::size_t> index_of;
  for (std::size_t i = 0; i < members.size(); ++i) {
    const auto [place, added] = index_of.try_emplace(members.node[i], nodes.size());
    if (added) nodes.emplace_back();
    nodes[place->second].push_back(static_cast<std::int32_t>(i));
  }
  const auto differs = [&](const auto& node) { return node.size() != nodes.front().size(); };
  if (std::ranges::any_of(nodes, differs)) nodes.clear();
  return nodes;
}

/// Members at the same position of every node, and the shard they own after the nodes' scatter.
std::vector<Ring> rings_between(const std::vector<Ring>& inside) {
  std::vector<Ring> between(inside.front().members.size());
  for (std::size_t position = 0; position < between.size(); ++position) {
    between[position].chunks =
        RingSchedule::owned(inside.front(), static_cast<std::int32_t>(position));
    for (const Ring& node : inside) between[position].members.push_back(node.members[position]);
  }
  return between;
}

StepList hierarchical(double bytes, const CollectiveMembers& members, RingFidelity fidelity) {
  const auto nodes = equal_nodes(members);
  if (nodes.empty())
    return fidelity == RingFidelity::Stepwise ? ring_steps(bytes, members)
                                              : ring_aggregated_steps(bytes, members);
  const auto chunks = static_cast<std::int32_t>(members.size());
  std::vector<Ring> inside;
  for (const auto& node : nodes) inside.push_back({node, {0, chunks}});
  const std::vector<Ring> between = rings_between(inside);
  RingSchedule schedule(bytes, chunks, members.size());
  for (const Ring& ring : inside) schedule.add(ring, RingTrip::Scatter, fidelity);
  for (const Ring& ring : between) schedule.add(ring, RingTrip::Scatter, fidelity);
  for (const Ring& ring : between) schedule.add(ring, RingTrip::Gather, fidelity);
  for (const Ring& ring : inside) schedule.add(ring, RingTrip::Gather, fidelity);
  return std::move(schedule).take();
}

}  // namespace

StepList hierarchical_steps(double bytes, const CollectiveMembers& members) {
  return hierarchical(bytes, members, RingFidelity::Stepwise);
}

StepList hierarchical_aggregated_steps(double bytes, const CollectiveMembers& members) {
  return hierarchical(bytes, members, RingFidelity::Aggregated);
}

}  // namespace pipegraph
