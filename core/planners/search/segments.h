// Chains inside a machine: for every pair of nested ideals those that hold its stages on so many
// workers, as far as no other is as good. Of the chain over machines (chain_search.h) they are the
// links.
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "core/planners/search/chain_problem.h"

namespace pipegraph {

/// A machine's chain between two ideals. Those of one pair are undominated in (time, stages,
/// most_after).
struct MachineSegment {
  double time = 0.0;
  std::int32_t stages = 1;
  std::int32_t most_after = 0;  ///< stages behind the segment that memory allows
  std::int32_t replicas = 1;    ///< of its last stage
  std::int32_t workers = 1;     ///< of the machine that it uses
  std::int32_t middle = -1;     ///< ideal above the last stage; -1 = the segment is one stage
  std::int32_t rest = -1;       ///< of the segments from there, with fewer workers
};
using Segments = std::vector<MachineSegment>;

/// What segments are made by.
class SegmentRules {
 public:
  /// All must outlive this.
  SegmentRules(const ChainProblem& problem, const PairTable& pairs, const ChainCosts& costs);

  const ChainProblem& problem() const { return problem_; }
  const PairTable& pairs() const { return pairs_; }
  const ChainCosts& costs() const { return costs_; }
  /// Whether there is a stage that must not stand before any number of others.
  bool memory_binds() const { return memory_binds_; }
  /// Of the pair between these ideals in the table of pairs.
  std::size_t position(std::int32_t inner, std::int32_t outer) const;
  double total_work() const { return costs_.work(static_cast<std::int32_t>(pairs_.ideals()) - 1); }
  /// The stage on r workers of each of q machines as the last of a segment up to `segment_outer`
  /// (-1: to one further up), if memory allows it.
  std::optional<MachineSegment> single(const StagePair& pair, std::int32_t segment_outer, int r,
                                       int q) const;

 private:
  const ChainProblem& problem_;
  const PairTable& pairs_;
  const ChainCosts& costs_;
  bool memory_binds_ = true;
  std::vector<std::int32_t> position_;  ///< by inner x ideals + outer
};

/// All segments at one number q of machines that repeat them.
class SegmentTable {
 public:
  /// Of those segments only that a plan may use whose bottleneck is at most `cap`. `rules` must
  /// outlive this.
  SegmentTable(const SegmentRules& rules, int q, double cap);

  /// Of a pair, those to choose from.
  const Segments& of(std::size_t pair) const { return lists_.front()[pair]; }
  /// Of a pair, on exactly so many workers.
  const Segments& of(std::size_t pair, std::int32_t workers) const {
    return lists_[static_cast<std::size_t>(workers)][pair];
  }

 private:
  /// Devices or machines that `work` needs at least below the cap.
  double least(double work, int devices_of_one) const;
  /// Whether a plan below the cap may have these workers of each machine between the ideals.
  bool may_hold(const StagePair& pair, int workers) const;
  void extend(std::int32_t inner);
  void join(std::size_t stage, std::size_t rest, const MachineSegment& added);
  void keep(Segments& segments, const MachineSegment& segment) const;

  const SegmentRules& rules_;
  int q_;
  double cap_;
  std::vector<std::vector<Segments>> lists_;    ///< [workers used][pair]; [0]: those to choose
  std::vector<std::vector<std::size_t>> live_;  ///< by inner ideal: pairs with any segment
  std::vector<std::vector<char>> may_hold_;     ///< [workers used][pair]
};

}  // namespace pipegraph
