#include <algorithm>
#include <array>

#include "core/collective/algorithms.h"

namespace pipegraph {
namespace {

constexpr std::array k_table{
    CollectiveEntry{"auto", "ring up to 16 members, ring_aggregated above", auto_steps},
    CollectiveEntry{"ring", "message by message: 2(d-1)/d n/c + 2(d-1) l", ring_steps,
                    k_message_by_message_members},
    CollectiveEntry{"ring_aggregated", "one flow per ring edge: 2(d-1)/d n/c + 2(d-1) l",
                    ring_aggregated_steps},
    CollectiveEntry{"hierarchical",
                    "ring inside each node of g, between m nodes, inside: "
                    "2(g-1)(n/(g c) + l) + 2(m-1)(n/(g m c') + l')",
                    hierarchical_steps, k_message_by_message_members},
    CollectiveEntry{"hierarchical_aggregated", "hierarchical with one flow per edge and phase",
                    hierarchical_aggregated_steps},
    CollectiveEntry{"direct", "every member adds up its chunk: 2(n/(d c) + l) on private links",
                    direct_steps, k_message_by_message_members},
    CollectiveEntry{"halving_doubling",
                    "recursive halving and doubling: 2(d-1)/d n/c + 2 log2(d) l for d = 2^k",
                    halving_doubling_steps, k_message_by_message_members},
};

}  // namespace

StepList auto_steps(double bytes, const CollectiveMembers& members) {
  return members.size() <= k_stepwise_members ? ring_steps(bytes, members)
                                              : ring_aggregated_steps(bytes, members);
}

std::span<const CollectiveEntry> collective_table() { return k_table; }

const CollectiveEntry* find_collective(std::string_view name) {
  const auto* found = std::ranges::find(k_table, name, &CollectiveEntry::name);
  return found == k_table.end() ? nullptr : found;
}

}  // namespace pipegraph
