#include "core/planners/no_fit.h"

#include <fmt/format.h>

#include <algorithm>
#include <optional>

#include "core/planners/search/fewest_devices.h"

namespace pipegraph {
namespace {

std::string bytes_text(double bytes) {
  return to_text(Bytes{static_cast<std::uint64_t>(std::max(bytes, 0.0))});
}

/// Smaller blocks may fit where these do not.
std::string contraction_text(const Workload& workload, const SearchInput& input,
                             const NoFit& no_fit) {
  if (input.blocks.size() == workload.graph->size()) return {};
  return fmt::format(" ({} operators are searched as {} blocks; {} cuts finer)",
                     workload.graph->size(), input.blocks.size(), no_fit.finer);
}

}  // namespace

std::string reason_of(const Workload& workload, const SearchInput& input, const NoFit& no_fit) {
  const std::string contraction = contraction_text(workload, input, no_fit);
  const auto worst = std::ranges::max_element(no_fit.needed);
  if (worst != no_fit.needed.end() && *worst > no_fit.limit) {
    const auto& block = input.blocks[static_cast<std::size_t>(worst - no_fit.needed.begin())];
    return fmt::format("stage with '{}' needs {} on {}, limit {}{}",
                       workload.graph->at(block.front()).name, bytes_text(*worst), no_fit.where,
                       bytes_text(no_fit.limit), contraction);
  }
  const int devices = input.problem.devices;
  return fmt::format("no {} for {} device{} fits {} per device{}", no_fit.what, devices,
                     devices == 1 ? "" : "s", bytes_text(no_fit.limit), contraction);
}

std::string fewest_devices_text(const Workload& workload, const SearchInput& input,
                                const PairTable& pairs, std::int32_t micro_batch) {
  const std::optional<int> fewest = fewest_devices(input.problem, pairs, [&](int devices) {
    SearchInput larger = input;
    larger.problem.devices = devices;
    return batch_costs(workload, larger, micro_batch);
  });
  return fewest ? fewest_devices_text(*fewest, input.problem.devices)
                : std::string("more devices do not help");
}

std::string fewest_devices_text(int fewest, int devices) {
  if (fewest > devices) return fmt::format("the smallest feasible device count is {}", fewest);
  return fmt::format("by the search's own rule of memory {} would do", fewest);
}

}  // namespace pipegraph
