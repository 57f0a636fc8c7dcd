// Random plans of all kinds, from a seed: stage graphs, replicas, micro-batch sizes, shared
// devices, tied parameters, recomputation.
#pragma once

#include <optional>
#include <random>

#include "tests/core/program/plans.h"

namespace pipegraph::test {

struct RandomPlanOptions {
  bool share_devices = true;  ///< several stages may stand on one device
  std::int32_t receive_slots = 0;
};

/// Nothing if the schedule is a deadlock.
std::optional<TinyPlan> random_plan(std::mt19937& random, const RandomPlanOptions& options = {});

}  // namespace pipegraph::test
