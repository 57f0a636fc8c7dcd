// Random plans of all kinds, from a seed: stage graphs, replicas, micro-batch sizes, shared
// devices, tied parameters, recomputation.
#pragma once

#include <optional>
#include <random>
#include <string>
#include <vector>

#include "tests/core/program/plans.h"

namespace pipegraph::test {

struct RandomPlanOptions {
  bool share_devices = true;  ///< several stages may stand on one device
  std::int32_t receive_slots = 0;
  std::vector<std::string> schedules{"1f1b", "gpipe", "kfkb", "zb1p", "interleaved_1f1b"};
};

/// Nothing if the schedule is a deadlock, or if the stages do not suit it.
std::optional<TinyPlan> random_plan(std::mt19937& random, const RandomPlanOptions& options = {});

}  // namespace pipegraph::test
