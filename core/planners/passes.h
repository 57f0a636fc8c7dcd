// How many forwards and backwards a plan has: known before it is scheduled, and refused where there
// are more than could be lowered.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "core/stage/stage_graph.h"

namespace pipegraph {

/// On all replicas. A double: hostile numbers overflow an integer.
double count_passes(const std::vector<Stage>& stages, std::int32_t mini_batch);

/// Of any plan of such micro-batches, at least: those of a single stage.
double least_passes(std::int32_t micro_batch, std::int32_t mini_batch);

/// Why so many are not lowered, with the remedy; nothing if they are no more than k_most_passes.
std::optional<std::string> too_many_passes(double passes);

}  // namespace pipegraph
