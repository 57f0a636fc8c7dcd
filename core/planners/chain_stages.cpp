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

Dealing deal_out(std::size_t operators, std::size_t devices, std::size_t stages_each) {
  const std::size_t each = std::min(operators, stages_each);
  return {.places = std::min(operators / each, devices), .stages_each = each};
}

std::optional<std::string> Dealing::note(std::size_t operators, std::size_t wanted) const {
  if (stages_each >= wanted) return std::nullopt;
  return fmt::format("{} operator{} make no more than {} stage{} on a device, instead of {}",
                     operators, operators == 1 ? "" : "s", stages_each, stages_each == 1 ? "" : "s",
                     wanted);
}

std::size_t read_stages_per_device(MapReader& map) {
  constexpr std::int64_t k_most = 1'000'000;
  const auto value = map.optional("stages_per_device");
  return value ? static_cast<std::size_t>(value->as_integer(1, k_most)) : 1;
}

Proposal one_device_each(const OperatorBlocks& blocks, std::span<const double> times,
                         std::int32_t micro_batch, std::size_t places) {
  Proposal proposal{.objective = {.name = "max_time_per_sample_s", .value = 0.0}};
  std::vector<double> load(places, 0.0);
  for (std::size_t i = 0; i < blocks.size(); ++i) {
    Stage& stage = proposal.stages.emplace_back();
    stage.name = fmt::format("s{}", i);
    stage.operators = blocks[i];
    std::sort(stage.operators.begin(), stage.operators.end());
    stage.devices = {make_id<DeviceId>(i % places)};
    stage.micro_batch = micro_batch;
    load[i % places] += sum_over(stage.operators, times) / micro_batch;
    proposal.objective.value = std::max(proposal.objective.value, load[i % places]);
  }
  return proposal;
}

}  // namespace pipegraph
