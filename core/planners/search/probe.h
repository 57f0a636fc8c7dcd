// The decision behind the search: is there a plan whose slowest stage needs at most `target`
// seconds per sample, within memory and depth? Cheap relaxations first, then labels (devices,
// heights of live tensors' consumers) over the family of ideals.
#pragma once

#include <cstdint>
#include <limits>
#include <optional>
#include <vector>

#include "core/planners/search/pair_devices.h"
#include "core/planners/search/problem.h"

namespace pipegraph {

struct ProbeLimits {
  double target = std::numeric_limits<double>::infinity();  ///< seconds per sample of any stage
  double memory = std::numeric_limits<double>::infinity();  ///< bytes; the problem's if smaller
  int depth = std::numeric_limits<int>::max();              ///< stages
};

struct ProbeCounts {
  std::uint64_t probes = 0;
  std::uint64_t labels = 0;
  std::uint64_t relaxed = 0;  ///< probes answered without labels
};

class Prober {
 public:
  /// All must outlive this.
  Prober(const SearchProblem& problem, const PairTable& pairs, const BatchCosts& costs);

  struct Answer {
    std::optional<SearchPlan> plan;  ///< settled; on at most problem.devices devices
    bool final = true;               ///< false: no plan was found, but a limit cut the search short
  };
  Answer probe(const ProbeLimits& limits);
  const ProbeCounts& counts() const { return counts_; }

 private:
  struct Label {
    std::int32_t devices = 0;
    std::int32_t parent_ideal = -1;
    std::int32_t parent_label = -1;
    std::uint32_t heights = 0;  ///< offset into the ideal's pool
  };
  /// A pair above the ideal at hand.
  struct Usable {
    std::size_t pair = 0;
    std::int32_t least_devices = 1;
    std::int32_t rest = 0;  ///< devices from its outer ideal to the full set, at least
  };
  struct Front {
    std::vector<Label> labels;
    std::vector<std::uint16_t> heights;
  };

  int devices_for(std::size_t position, int height);  ///< 0: impossible

  void relax();
  void bound_heights();
  std::optional<SearchPlan> plan_of_relaxation();
  Answer search_labels(std::size_t labels_per_ideal);
  void find_usable(std::int32_t inner);
  void expand(std::int32_t inner, std::size_t label, std::size_t cap);
  bool insert(Front& front, const Label& label, std::span<const std::uint16_t> heights,
              std::size_t cap);
  int height_of(const StagePair& pair, std::span<const std::uint16_t> heights) const;
  void propagate(const StagePair& pair, std::span<const std::uint16_t> heights, int height);
  std::optional<SearchPlan> accept(SearchPlan plan) const;
  std::size_t labels_width(std::int32_t ideal) const;

  const SearchProblem& problem_;
  const PairTable& pairs_;
  const BatchCosts& costs_;
  PairDevices devices_;
  ProbeLimits limits_;
  double memory_ = 0.0;                      ///< with a rounding allowance
  std::vector<std::uint16_t> first_height_;  ///< by pair, whatever the target
  std::vector<std::uint16_t> least_height_;  ///< by pair
  std::vector<std::int32_t> togo_;  ///< by ideal: devices from here to the full set, at least
  std::vector<std::int32_t> togo_pair_;
  std::vector<Front> fronts_;
  std::vector<Usable> usable_;
  std::vector<std::uint16_t> scratch_;
  bool truncated_ = false;
  ProbeCounts counts_;
};

}  // namespace pipegraph
