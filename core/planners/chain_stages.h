// Stages from blocks of operators, one device each or dealt out to devices in turn, and the
// objective of the two simple planners.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "core/base/yaml_reader.h"
#include "core/planners/candidates.h"
#include "core/stage/stage_graph.h"

namespace pipegraph {

using OperatorBlocks = std::vector<std::vector<OperatorId>>;

/// The blocks that end at `ends` of a chain of operators.
OperatorBlocks cut_chain(std::span<const OperatorId> chain, std::span<const std::size_t> ends);

/// Places that a chain is dealt out to, and the stages that each of them gets.
struct Dealing {
  std::size_t places = 1;
  std::size_t stages_each = 1;
  std::size_t stages() const { return places * stages_each; }
  /// What to say where each place gets fewer stages than were `wanted`.
  std::optional<std::string> note(std::size_t operators, std::size_t wanted) const;
};
/// At most `devices` places with `stages_each` stages, of at least one operator each; fewer places,
/// and then fewer stages, for few operators.
Dealing deal_out(std::size_t operators, std::size_t devices, std::size_t stages_each);

/// Reads `stages_per_device`, default 1. Errors: ConfigError for less than 1.
std::size_t read_stages_per_device(MapReader& map);

/// Stage i, "s<i>", holds block i on place i mod `places`. The objective is the largest time per
/// sample of a place, of `times` by operator for one micro-batch.
Proposal one_device_each(const OperatorBlocks& blocks, std::span<const double> times,
                         std::int32_t micro_batch, std::size_t places);

}  // namespace pipegraph
