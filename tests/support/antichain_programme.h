// PipeDream's public planner as it computes, right or wrong (Narayanan et al., SOSP 2019): the
// recursion over antichains, the costs of stages as differences of sums. Slow; for comparison.
#pragma once

#include <vector>

#include "core/graph/digraph.h"

namespace pipegraph::test {

/// Everything by node, for one mini-batch of the profile.
struct AntichainProblem {
  Digraph graph;
  std::vector<double> seconds;     ///< forward and backward
  std::vector<double> output;      ///< bytes
  std::vector<double> parameters;  ///< bytes
};

/// `workers` of the level below, joined at `bandwidth` bytes per second.
struct AntichainLevel {
  int workers = 1;
  double bandwidth = 0.0;
};

/// A stage of the chain, on `replicas` workers of each of `machines` machines.
struct AntichainStage {
  std::vector<Digraph::Node> nodes;  ///< ascending: those that no earlier stage has
  int replicas = 1;
  int machines = 1;
  bool machine_begins = true;  ///< on other machines than the stage before
  double charged = 0.0;        ///< seconds that the recursion takes its nodes to need
};

struct AntichainPlan {
  double value = 0.0;  ///< seconds per mini-batch of the slowest stage, as the recursion has it
  std::vector<AntichainStage> stages;
};

/// With transfers counted, no limit of memory, all workers used. `levels`: two, inner first.
AntichainPlan antichain_plan(const AntichainProblem& problem,
                             const std::vector<AntichainLevel>& levels);

}  // namespace pipegraph::test
