// Stages from blocks of operators, one device each, and the objective of the two simple planners.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "core/planners/candidates.h"
#include "core/stage/stage_graph.h"

namespace pipegraph {

using OperatorBlocks = std::vector<std::vector<OperatorId>>;

/// The blocks that end at `ends` of a chain of operators.
OperatorBlocks cut_chain(std::span<const OperatorId> chain, std::span<const std::size_t> ends);

/// Stage i, "s<i>", holds block i on place i. Its objective is the largest time per sample of a
/// block, of `times` by operator for one micro-batch.
Proposal one_device_each(const OperatorBlocks& blocks, std::span<const double> times,
                         std::int32_t micro_batch);

}  // namespace pipegraph
