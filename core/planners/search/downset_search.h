// Piper's search: over all pairs of nested downsets, the plan of least bottleneck. Instead of a
// table over (downset, devices, replicas), a bisection on the bottleneck in which every downset
// keeps the few undominated pairs (devices, sum of replicas) that reach it.
#pragma once

#include <cstdint>
#include <deque>
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
  bool truncated = false;    ///< stopped before
  std::uint64_t probes = 0;
};

class DownsetSearch {
 public:
  /// All must outlive this. Branches that `pairs` exchanges must be identical in `problem`.
  DownsetSearch(const LayerProblem& problem, const DownsetPairs& pairs);

  /// Asked before so many pairs are looked at; true: stop.
  using Stop = std::function<bool(std::size_t pairs)>;
  /// Until `stop` (may be empty) says so, then with the best plan so far. `guess`: of bottleneck /
  /// least_bound, which saves time if it is near; 0: none.
  DownsetOutcome run(const Stop& stop = {}, double guess = 0.0);
  /// The least devices, up to the problem's, on which some plan fits; nothing: none does, or `stop`
  /// said so.
  std::optional<int> fewest_devices(const Stop& stop = {});

 private:
  /// A plan of the layers of a downset, as far as later stages can tell.
  struct Label {
    std::int32_t devices = 0;
    std::int32_t in_flight = 0;  ///< of the last stage, see in_flight_before
    std::int32_t inner = -1;     ///< of the last stage
    std::int32_t outer = -1;
    std::int32_t parent = -1;  ///< label of `inner`
    std::int32_t degree = 0;
    std::int32_t d = 0;  ///< replicas of the last stage
  };
  bool fits_target(const DownsetPair& pair, std::size_t degree, const StageShape& shape,
                   const StageTerms& terms);
  double priced(const DownsetPair& pair, std::size_t degree, const StageShape& shape);
  double seconds_per_byte(std::size_t degree, int in_flight);
  std::vector<Digraph::Node> layers_of(const DownsetPair& pair) const;

  std::optional<LayerPlan> probe(double target);
  void extend(std::int32_t inner);
  /// A pair at hand with its number, and the devices that its work needs.
  struct Reached {
    DownsetPair pair;
    std::size_t number = 0;
    std::int32_t least_devices = 1;
  };
  void extend_degree(const Reached& reached, std::size_t degree);
  const StageTerms& terms(const Reached& reached, std::size_t degree);
  /// Whether whatever goes on from `b` goes on from `a` as well.
  bool no_worse(const Label& a, const Label& b) const;
  void insert(std::vector<Label>& front, const Label& label) const;
  LayerPlan plan_of(const Label& last) const;

  const LayerProblem& problem_;
  const DownsetPairs& pairs_;
  DownsetCosts costs_;
  std::vector<int> replicas_;
  std::vector<std::int32_t> known_;  ///< by number of the pair and degree: in terms_, or -1
  std::deque<StageTerms> terms_;     ///< of pairs reached so far
  std::vector<std::vector<Label>> fronts_;
  std::vector<std::int32_t> togo_;  ///< by ideal: devices for the layers outside it, at least
  std::vector<double> through_;     ///< by ideal: its work and togo_ times the target
  std::unordered_map<std::uint64_t, double> prices_;   ///< looked up only
  std::vector<std::vector<double>> seconds_per_byte_;  ///< [degree][in flight]; negative: unknown
  double target_ = 0.0;
  Stop stop_;
  bool truncated_ = false;
};

}  // namespace pipegraph
