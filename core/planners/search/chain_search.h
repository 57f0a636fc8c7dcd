// The chain of least bottleneck on one or two levels of bandwidth: a bisection on the bottleneck
// with the fewest stages per number of machines, each machine holding a segment (segments.h) of
// which only those are made that a plan below a cap may use.
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "core/planners/search/segments.h"

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
  ChainSearch(const ChainSearch&) = delete;
  ChainSearch& operator=(const ChainSearch&) = delete;

  ChainOutcome run();

 private:
  /// Stages on the machines used so far, from an ideal down to the sinks.
  struct Entry {
    std::int32_t machines = 0;
    std::int32_t stages = 0;
    std::int32_t inner = -1;  ///< ideal below the last segment added
    std::int32_t entry = -1;  ///< in that ideal's list
    std::int32_t q = 1;
    std::int32_t segment = 0;
  };

  /// Whether any flat chain fits the memory: if not, none on two levels does.
  bool flat_chain_fits() const;
  /// With two levels: of all segments of plans whose bottleneck is at most `cap`.
  void make_tables(double cap);
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
  SegmentRules rules_;
  std::vector<int> machine_counts_;
  bool all_counts_ = true;
  std::vector<SegmentTable> tables_;  ///< by machine count; of one level empty
  std::vector<std::vector<Entry>> entries_;
  Segments scratch_;
  double target_ = 0.0;
};

}  // namespace pipegraph
