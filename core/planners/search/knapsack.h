// Which layers of a stage to run in which way, so that the stage fits its memory at the least cost:
// one choice per layer, a knapsack with a covering constraint.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <vector>

namespace pipegraph {

/// One way to run one layer.
struct KnapsackChoice {
  double cost = 0.0;
  double memory = 0.0;
};

enum class KnapsackMethod : std::uint8_t {
  Exact,   ///< branch and bound over classes of equal memory gain, up to a number of nodes
  Greedy,  ///< from the cheapest choices, the exchanges of least cost per byte until it fits
};

struct KnapsackAnswer {
  double cost = 0.0;
  std::vector<std::uint8_t> chosen;  ///< by layer: index of the choice
  bool exact = false;
};

/// One choice per layer, of which each has one or two. Nothing if even the smallest do not fit.
std::optional<KnapsackAnswer> solve_knapsack(std::span<const std::vector<KnapsackChoice>> layers,
                                             double memory, KnapsackMethod method);

}  // namespace pipegraph
