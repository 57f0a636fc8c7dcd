// Small random search problems: chains, fork-joins, nested and general DAGs; loose and tight
// memory.
#pragma once

#include <algorithm>
#include <random>
#include <vector>

#include "core/planners/search/problem.h"

namespace pipegraph {

struct RandomProblem {
  SearchProblem problem;
  BatchCosts costs;
};

inline std::vector<Digraph::Edge> random_edges(std::mt19937_64& random, int blocks) {
  const auto pick = [&](int least, int most) {
    return std::uniform_int_distribution<int>(least, most)(random);
  };
  std::vector<Digraph::Edge> edges;
  switch (pick(0, 2)) {
    case 0:  // chain with skip edges
      for (int i = 0; i + 1 < blocks; ++i) edges.push_back({i, i + 1});
      for (int i = pick(0, 2); i > 0 && blocks > 3; --i) {
        const int from = pick(0, blocks - 3);
        edges.push_back({from, pick(from + 2, blocks - 1)});
      }
      break;
    case 1: {  // stem, branches, join
      const int branches = pick(2, 3);
      std::vector<int> tail(static_cast<std::size_t>(branches), 0);
      for (int i = 1; i + 1 < blocks; ++i) {
        int& last = tail[static_cast<std::size_t>(pick(0, branches - 1))];
        edges.push_back({last, i});
        last = i;
      }
      for (const int last : tail)
        if (last != blocks - 1) edges.push_back({last, blocks - 1});
      break;
    }
    default:  // any DAG; several sources and sinks
      for (int to = 1; to < blocks; ++to)
        for (int from = 0; from < to; ++from)
          if (pick(0, 99) < 30) edges.push_back({from, to});
  }
  return edges;
}

inline RandomProblem random_problem(std::uint64_t seed, int most_blocks, int most_devices) {
  std::mt19937_64 random(seed);
  const auto pick = [&](int least, int most) {
    return std::uniform_int_distribution<int>(least, most)(random);
  };
  const auto real = [&](double least, double most) {
    return std::uniform_real_distribution<double>(least, most)(random);
  };
  RandomProblem result;
  SearchProblem& problem = result.problem;
  const int blocks = pick(2, most_blocks);
  problem.graph = Digraph(static_cast<std::size_t>(blocks), random_edges(random, blocks));
  problem.devices = pick(1, most_devices);
  problem.mini_batch = pick(1, 24);
  problem.latency = pick(0, 1) * real(0.0, 0.2);
  problem.bandwidth = pick(0, 1) == 0 ? std::numeric_limits<double>::infinity() : real(1.0, 20.0);
  problem.communication = pick(0, 1) == 0 ? CommunicationRule::Sum : CommunicationRule::Overlap;
  double fixed = 0.0;
  double saved = 0.0;
  for (int block = 0; block < blocks; ++block) {
    problem.fixed.push_back(pick(0, 3) * real(0.0, 1.0));
    problem.saved.push_back(pick(0, 3) * real(0.0, 1.0));
    fixed += problem.fixed.back();
    saved += problem.saved.back();
    const auto next = problem.graph.successors(block);
    if (next.empty()) continue;
    SearchTensor tensor{block, {next.begin(), next.end()}, real(0.0, 2.0), 2.0, 0.0};
    if (pick(0, 4) == 0) tensor.crossings = 1.0;
    if (pick(0, 2) == 0) tensor.saved_at_consumer = tensor.bytes;
    problem.tensors.push_back(tensor);
  }
  BatchCosts& costs = result.costs;
  costs.micro_batch = pick(1, problem.mini_batch);
  const int ragged = problem.mini_batch % costs.micro_batch;
  costs.max_devices = std::min(problem.devices, ragged == 0 ? costs.micro_batch : ragged);
  costs.row_of_devices.assign(static_cast<std::size_t>(problem.devices) + 1, 0);
  std::vector<double> slope, launch;
  for (int block = 0; block < blocks; ++block) {
    slope.push_back(pick(0, 9) == 0 ? 0.0 : real(0.1, 3.0));
    launch.push_back(pick(0, 1) * real(0.0, 1.0));
  }
  for (int d = 1; d <= costs.max_devices; ++d) {
    const int share = (costs.micro_batch + d - 1) / d;
    if (costs.share.empty() || costs.share.back() != share) {
      costs.share.push_back(share);
      costs.time.emplace_back();
      for (std::size_t block = 0; block < slope.size(); ++block)
        costs.time.back().push_back(launch[block] + slope[block] * share);
    }
    costs.row_of_devices[static_cast<std::size_t>(d)] =
        static_cast<std::uint16_t>(costs.share.size() - 1);
  }
  const double batches =
      std::min(4, (problem.mini_batch + costs.micro_batch - 1) / costs.micro_batch);
  const double whole = fixed + saved * batches * costs.micro_batch;
  problem.memory =
      pick(0, 3) == 0 ? std::numeric_limits<double>::infinity() : whole * real(0.1, 1.0);
  return result;
}

}  // namespace pipegraph
