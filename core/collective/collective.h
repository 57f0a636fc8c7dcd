// Collective algorithms as pure step lists, priced by the simulators and carried out by the
// executor. Every list is an all-reduce: afterwards each member holds the sum over all members.
#pragma once

#include <cstddef>
#include <cstdint>
#include <limits>
#include <span>
#include <string_view>
#include <vector>

namespace pipegraph {

/// Chunks [first, last) of the vector, which a list cuts into StepList::chunks equal ones.
struct ChunkRange {
  std::int32_t first = 0;
  std::int32_t last = 0;
  bool operator==(const ChunkRange&) const = default;
};

/// What the receiver does with a message. Folded: the flow stands for several messages of a ring,
/// and an executor cannot carry it out.
enum class StepEffect : std::uint8_t { Add, Replace, Folded };

/// One message of a collective between two members. A step starts when all of `after`, earlier
/// steps of the list that end at its sender, have ended; otherwise steps run freely.
struct CollectiveStep {
  std::int32_t from = 0;  ///< member index
  std::int32_t to = 0;
  double bytes = 0.0;            ///< fractions allowed: n / d
  double extra_latencies = 0.0;  ///< folded flows: latencies of the messages beyond the first
  ChunkRange chunks;
  StepEffect effect = StepEffect::Add;
  std::vector<std::int32_t> after;  ///< indices of earlier steps, ascending
};

/// Steps in a topological order. No steps: nothing to do (one member).
struct StepList {
  std::int32_t chunks = 1;
  std::vector<CollectiveStep> steps;
};

/// What a collective needs to know of its members: which machine each sits in.
struct CollectiveMembers {
  std::vector<std::int32_t> node;  ///< by member index
  std::size_t size() const { return node.size(); }
};

struct CollectiveEntry {
  std::string_view name;         ///< "auto", "ring", "ring_aggregated", ...
  std::string_view description;  ///< one line, with the closed form
  StepList (*steps)(double bytes, const CollectiveMembers& members);
  /// Groups above this have too many messages to keep in a list.
  std::size_t most_members = std::numeric_limits<std::size_t>::max();
};

std::span<const CollectiveEntry> collective_table();
/// Null if there is none of that name.
const CollectiveEntry* find_collective(std::string_view name);

/// Limit of algorithms that send message by message: about 2 million of them.
inline constexpr std::size_t k_message_by_message_members = 1024;

/// "auto" is the ring message by message up to this many members, above it the aggregated ring.
inline constexpr std::size_t k_stepwise_members = 16;

}  // namespace pipegraph
