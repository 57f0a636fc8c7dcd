// Small random problems of Piper's kind: a random graph, one or two ways and degrees per layer.
#pragma once

#include "core/planners/search/layer_problem.h"
#include "tests/core/planners/search/random_problem.h"

namespace pipegraph {

inline LayerWay random_way(std::mt19937_64& random, const Digraph& graph, Digraph::Node node) {
  const auto real = [&](double most) {
    return std::uniform_real_distribution<double>(0.0, most)(random);
  };
  LayerWay way{1.0 + real(4.0), real(8.0), real(2.0), real(2.0), {}, {}};
  for (std::size_t i = 0; i < graph.predecessors(node).size(); ++i) way.in.push_back(real(1.0));
  for (std::size_t i = 0; i < graph.successors(node).size(); ++i) way.out.push_back(real(1.0));
  return way;
}

inline LayerProblem random_layers(std::uint64_t seed, int most_layers, int most_devices) {
  std::mt19937_64 random(seed);
  const auto pick = [&](int least, int most) {
    return std::uniform_int_distribution<int>(least, most)(random);
  };
  LayerProblem problem;
  const int layers = pick(2, most_layers);
  problem.graph = Digraph(static_cast<std::size_t>(layers), random_edges(random, layers));
  problem.devices = pick(1, most_devices);
  problem.micro_batches = pick(1, 12);
  problem.memory =
      pick(0, 3) == 0 ? 1e9 : std::uniform_real_distribution<double>(4.0, 40.0)(random);
  problem.bandwidth = 4.0;
  problem.transfer = pick(0, 1) == 0 ? TransferCharge::Edge : TransferCharge::Consumer;
  problem.knapsack = pick(0, 1) == 0 ? KnapsackMethod::Exact : KnapsackMethod::Greedy;
  for (Digraph::Node node = 0; node < layers; ++node) {
    auto& degrees = problem.layers.emplace_back();
    for (const int t : {1, 2}) {
      if (t == 2 && pick(0, 3) == 0) continue;
      LayerDegree degree{t, {random_way(random, problem.graph, node)}};
      if (pick(0, 2) > 0) {
        LayerWay again = random_way(random, problem.graph, node);
        again.time = degree.ways[0].time * 1.3;
        again.parameters = degree.ways[0].parameters;
        again.saved *= 0.3;
        degree.ways.push_back(again);
      }
      degrees.push_back(degree);
    }
    problem.saved_input.push_back(pick(0, 1) == 0 ? 0.0 : 0.5);
  }
  return problem;
}

}  // namespace pipegraph
