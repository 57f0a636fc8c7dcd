// The numbers of the stage search on a graph made series-parallel: parts that are not become
// blocks.
#pragma once

#include <string>
#include <vector>

#include "core/graph/series_parallel.h"
#include "core/planners/search_input.h"

namespace pipegraph {

struct SeriesParallelInput {
  SearchInput input;
  SeriesParallelTree tree;         ///< of its blocks
  std::vector<std::string> notes;  ///< which operators became one block
};

/// Contracts the parts of `input` that are not series-parallel until none is left.
SeriesParallelInput series_parallel_input(const Workload& workload, SearchInput input);

}  // namespace pipegraph
