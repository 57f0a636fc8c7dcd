// The chain of least bottleneck on one or two levels of bandwidth. Inside a machine a table over
// pairs of nested ideals, of those entries only that a plan below a cap may use; over machines a
// bisection on the bottleneck with the fewest stages per number of machines.
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "core/planners/search/chain_problem.h"

namespace pipegraph {

struct ChainOutcome {
  std::optional<ChainPlan> plan;
  double lower_bound = 0.0;  ///< seconds per sample, over the family
  double least_bound = 0.0;  ///< of any family: all work on all devices
  bool exact = false;        ///< proved least over the family
  std::uint64_t probes = 0;
};

class ChainSearch {
 public:
  /// All must outlive this. The family of `pairs` runs from the empty set to all blocks.
  ChainSearch(const ChainProblem& problem, const PairTable& pairs);

  ChainOutcome run();

 private:
  /// A machine's chain between two ideals. Those of one pair are undominated in (time, stages,
  /// most_after).
  struct Segment {
    double time = 0.0;
    std::int32_t stages = 1;
    std::int32_t most_after = 0;  ///< stages behind the segment that memory allows
    std::int32_t replicas = 1;    ///< of its last stage
    std::int32_t workers = 1;     ///< of the machine that it uses
    std::int32_t middle = -1;     ///< ideal above the last stage; -1 = the segment is one stage
    std::int32_t rest = -1;       ///< of the segments from there, with fewer workers
  };
  using Segments = std::vector<Segment>;
  /// All segments at one number q of machines. lists: [workers used][pair]; [0]: those to choose.
  struct SegmentTable {
    std::vector<std::vector<Segments>> lists;
    std::vector<std::vector<std::size_t>> live;  ///< by inner ideal: pairs with any segment
    std::vector<std::vector<char>> may_hold;     ///< [workers used][pair]
  };

  /// Stages on the machines used so far, from an ideal down to the sinks.
  struct Entry {
    std::int32_t machines = 0;
    std::int32_t stages = 0;
    std::int32_t inner = -1;  ///< ideal below the last segment added
    std::int32_t entry = -1;  ///< in that ideal's list
    std::int32_t q = 1;
    std::int32_t segment = 0;
  };

  std::size_t position(std::int32_t inner, std::int32_t outer) const;
  double total_work() const { return costs_.work(static_cast<std::int32_t>(pairs_.ideals()) - 1); }
  /// Devices or machines that `work` needs at least below the cap.
  double least(double work, int devices_of_one) const;
  /// Whether a plan below the cap may have these workers of each of q machines between the ideals.
  bool may_hold(const StagePair& pair, int workers, int q) const;
  /// Whether any flat chain fits the memory: if not, none on two levels does.
  bool flat_chain_fits() const;
  void make_tables();
  SegmentTable segment_table(int q) const;
  void extend_segments(SegmentTable& table, std::int32_t inner, int q) const;
  /// Pairs of a segment's last stage and of the rest above it, in each of q machines.
  struct Joint {
    std::size_t stage = 0;
    std::size_t rest = 0;
    int q = 1;
  };
  void join_segments(SegmentTable& table, const Joint& joint, const Segment& added) const;
  std::optional<Segment> single(const StagePair& pair, std::int32_t segment_outer, int r,
                                int q) const;
  void keep(Segments& segments, const Segment& segment) const;
  const Segments& segments(std::size_t pair, std::size_t q_index);

  bool reach(double target);
  void extend(std::size_t pair);
  void add_entries(std::size_t pair, std::size_t q_index, std::size_t segment);
  void keep(std::vector<Entry>& entries, const Entry& entry) const;
  ChainPlan plan_of_last() const;
  void append_stages(ChainPlan& plan, const Entry& entry, std::int32_t outer) const;

  const ChainProblem& problem_;
  const PairTable& pairs_;
  ChainCosts costs_;
  std::vector<int> machine_counts_;
  bool all_counts_ = true;
  bool memory_binds_ = true;
  double cap_ = 0.0;  ///< the tables know all segments of plans whose bottleneck is at most this
  std::vector<std::int32_t> position_;  ///< of a pair, by inner x ideals + outer
  std::vector<SegmentTable> tables_;    ///< by machine count; of one level empty
  std::vector<std::vector<Entry>> entries_;
  Segments scratch_;
  double target_ = 0.0;
};

}  // namespace pipegraph
