// Every DAG of a few nodes, and random ones of a few more, for comparing algorithms with oracles.
#pragma once

#include <random>
#include <vector>

#include "core/graph/digraph.h"

namespace pipegraph {

/// All DAGs on `nodes` nodes whose edges lead from smaller to larger numbers: 2^(n (n - 1) / 2).
std::vector<Digraph> all_dags(int nodes);

/// A DAG with each forward edge of a random order of the nodes kept with probability `density`.
Digraph random_dag(int nodes, double density, std::mt19937& random);

/// A random series-parallel DAG of about `nodes` nodes, its nodes in random order.
Digraph random_series_parallel_dag(int nodes, std::mt19937& random);

}  // namespace pipegraph
