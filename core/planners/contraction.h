// Fewer, larger blocks for the search on large graphs: an operator joins its only predecessor or
// only successor while the block stays small against a device's share of the work and its memory;
// where that leaves too many, those that follow each other branch by branch.
#pragma once

#include <cstddef>
#include <string>
#include <vector>

#include "core/planners/search_input.h"
#include "core/stage/workload.h"

namespace pipegraph {

/// Blocks of operators, convex, acyclic among each other, each ascending, ordered by their smallest
/// operator. Blocks grow only as far as needed to have at most `most_blocks`, and never where a
/// join would create a cycle or need more than half a device's memory, so there may remain more.
std::vector<std::vector<OperatorId>> contracted_blocks(const Workload& workload,
                                                       const SearchInput& input,
                                                       std::size_t most_blocks);

/// search_input(), contracted where there are more than `most_blocks` operators, with a note of it.
struct ContractedInput {
  SearchInput input;
  std::vector<std::string> notes;
};
ContractedInput contracted_input(const Workload& workload, std::size_t most_blocks);

}  // namespace pipegraph
