// The building block of ring algorithms: one trip around a ring, which either leaves each member
// with the sum of one block (scatter) or spreads such blocks to all (gather).
#pragma once

#include <cstdint>
#include <vector>

#include "core/collective/collective.h"

namespace pipegraph {

enum class RingTrip : std::uint8_t { Scatter, Gather };
enum class RingFidelity : std::uint8_t { Stepwise, Aggregated };

/// Where a phase runs: members in ring order, and the chunks it treats. These are cut into as many
/// equal blocks as there are members; after a scatter the member at position p owns block p + 1
/// (cyclic), from which a gather starts.
struct Ring {
  std::vector<std::int32_t> members;
  ChunkRange chunks;  ///< a multiple of the members
};

/// Grows a step list phase by phase. A member's steps of a phase wait for what it sent and received
/// last in earlier phases.
class RingSchedule {
 public:
  /// A vector of `bytes` in `chunks` chunks, `members` members in all.
  RingSchedule(double bytes, std::int32_t chunks, std::size_t members);

  void add(const Ring& ring, RingTrip trip, RingFidelity fidelity);
  /// The chunks that the member at `position` owns after a scatter.
  static ChunkRange owned(const Ring& ring, std::int32_t position);
  StepList take() && { return std::move(list_); }

 private:
  void add_stepwise(const Ring& ring, RingTrip trip);
  void add_aggregated(const Ring& ring);
  std::int32_t append(CollectiveStep step);

  double chunk_bytes_;
  StepList list_;
  std::vector<std::vector<std::int32_t>> last_;  ///< by member: its latest send and receive
};

/// Member indices ordered so that members of a node are neighbours; nodes in order of first use.
std::vector<std::int32_t> ring_order(const CollectiveMembers& members);

}  // namespace pipegraph
