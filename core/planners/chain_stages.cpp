#include "core/planners/chain_stages.h"

#include <fmt/format.h>

#include <algorithm>

#include "core/planners/operator_times.h"

namespace pipegraph {

OperatorBlocks cut_chain(std::span<const OperatorId> chain, std::span<const std::size_t> ends) {
  OperatorBlocks blocks;
  std::size_t begin = 0;
  for (const std::size_t end : ends) {
    const auto block = chain.subspan(begin, end - begin);
    blocks.emplace_back(block.begin(), block.end());
    begin = end;
  }
  return blocks;
}

Proposal one_device_each(const OperatorBlocks& blocks, std::span<const double> times,
                         std::int32_t micro_batch) {
  Proposal proposal{.objective = {.name = "max_time_per_sample_s", .value = 0.0}};
  for (std::size_t i = 0; i < blocks.size(); ++i) {
    Stage& stage = proposal.stages.emplace_back();
    stage.name = fmt::format("s{}", i);
    stage.operators = blocks[i];
    std::sort(stage.operators.begin(), stage.operators.end());
    stage.devices = {make_id<DeviceId>(i)};
    stage.micro_batch = micro_batch;
    proposal.objective.value =
        std::max(proposal.objective.value, sum_over(stage.operators, times) / micro_batch);
  }
  return proposal;
}

}  // namespace pipegraph
