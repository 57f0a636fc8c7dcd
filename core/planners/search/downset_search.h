// Piper's search: over all pairs of nested downsets, the plan of least bottleneck. Instead of a
// table over (downset, devices, replicas), a bisection on the bottleneck in which every downset
// keeps the few undominated pairs (devices, sum of replicas) that reach it.
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <unordered_map>
#include <vector>

#include "core/planners/search/downset_costs.h"

namespace pipegraph {

struct DownsetOutcome {
  std::optional<LayerPlan> plan;
  double lower_bound = 0.0;  ///< seconds per micro-batch, over the family
  double least_bound = 0.0;  ///< of any family: all work on all devices
  bool exact = false;        ///< proved least over the family
  bool truncated = false;    ///< the time was up
  std::uint64_t probes = 0;
};

class DownsetSearch {
 public:
  /// The family (from the empty set to all layers) says which downsets may be planned; all must
  /// outlive this.
  DownsetSearch(const LayerProblem& problem, const IdealFamily& family);

  /// Until `out_of_time` (asked often; may be empty) says so, then with the best plan so far.
  DownsetOutcome run(const std::function<bool()>& out_of_time = {});

  std::uint64_t pairs() const { return outer_.size(); }

 private:
  /// A plan of the layers of a downset, as far as later stages can tell.
  struct Label {
    std::int32_t devices = 0;
    std::int32_t replicas = 0;  ///< summed over the stages
    std::int32_t parent_ideal = -1;
    std::int32_t parent_label = -1;
    std::int32_t degree = 0;
    std::int32_t d = 1;
  };
  std::int32_t full() const { return static_cast<std::int32_t>(family_.ideals.size()) - 1; }
  void list_pairs();
  bool fits_target(const DownsetPair& pair, std::size_t degree, const StageShape& shape,
                   const StageTerms& terms);
  double priced(const DownsetPair& pair, std::size_t degree, const StageShape& shape);
  std::vector<Digraph::Node> layers_of(const DownsetPair& pair) const;

  std::optional<LayerPlan> probe(double target);
  void extend(const DownsetPair& pair);
  void extend_degree(const DownsetPair& pair, std::size_t degree);
  bool too_many_devices(std::int32_t devices, std::int32_t outer) const;
  static void insert(std::vector<Label>& front, const Label& label);
  LayerPlan plan_of(const Label& last) const;

  const LayerProblem& problem_;
  const IdealFamily& family_;
  DownsetCosts costs_;
  std::vector<int> replicas_;
  std::vector<std::uint64_t> begin_;  ///< by inner ideal, into outer_
  std::vector<std::int32_t> outer_;
  std::vector<std::vector<Label>> fronts_;
  std::unordered_map<std::uint64_t, double> prices_;  ///< looked up only
  double target_ = 0.0;
  std::function<bool()> out_of_time_;
  bool truncated_ = false;
};

}  // namespace pipegraph
