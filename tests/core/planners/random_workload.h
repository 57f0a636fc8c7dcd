// Small random workloads for planners: any DAG, uneven costs, loose and tight memory, flat network.
#pragma once

#include <limits>
#include <random>
#include <string>
#include <vector>

#include "tests/support/tiny_clusters.h"
#include "tests/support/tiny_graphs.h"
#include "tests/support/tiny_stages.h"

namespace pipegraph {

struct RandomWorkload {
  Workload workload;
  std::int32_t micro_batch = 1;
};

/// Up to seven operators of uneven cost in any DAG, some parameters, one to five devices.
inline RandomWorkload random_workload(std::uint64_t seed) {
  std::mt19937_64 random(seed);
  const auto pick = [&](int least, int most) {
    return std::uniform_int_distribution<int>(least, most)(random);
  };
  std::vector<Operator> operators;
  const int count = pick(2, 7);
  const int density = pick(15, 60);
  for (int i = 0; i < count; ++i) {
    std::vector<OperatorId> inputs;
    for (int j = 0; j < i; ++j)
      if (pick(0, 99) < density) inputs.push_back(OperatorId{j});
    const double forward = pick(1, 30) / 10.0;
    operators.push_back(
        test::tiny_operator("o" + std::to_string(i), inputs,
                            {.forward = Seconds{forward},
                             .backward = Seconds{2 * forward},
                             .output = Bytes{static_cast<std::uint64_t>(pick(1, 8)) * 1024},
                             .parameters = Bytes{static_cast<std::uint64_t>(pick(0, 3)) * 4096}}));
  }
  Device device;
  if (pick(0, 2) > 0) device.memory = Bytes{static_cast<std::uint64_t>(pick(30, 400)) * 1024};
  const BytesPerSecond bandwidth{pick(0, 1) == 0 ? std::numeric_limits<double>::infinity()
                                                 : 1024.0 * pick(1, 20)};
  RandomWorkload result;
  result.workload = test::tiny_workload(
      ComputationGraph("random", operators),
      test::ported_cluster(pick(1, 5), Seconds{pick(0, 2) * 0.1}, bandwidth, device),
      {.mini_batch = pick(1, 12)});
  result.micro_batch = pick(1, result.workload.training.mini_batch);
  return result;
}

}  // namespace pipegraph
