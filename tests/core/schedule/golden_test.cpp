// The order of every device under every schedule, as golden files: a diamond whose fork and join
// share device 0, two micro-batches of two samples and one of one; interleaved a chain instead.
#include "tests/support/golden.h"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <map>

#include "tests/core/schedule/schedule_support.h"

namespace pipegraph {
namespace {

std::string orders_of_devices(const Schedule& schedule) {
  std::map<DeviceId, std::vector<Task>> tasks;
  for (const DeviceTask& task : schedule.sequence) tasks[task.device].push_back(task.task);
  std::string text;
  for (const auto& [device, list] : tasks)
    text += fmt::format("d{}: {}\n", device.value, test::tokens(list));
  return text;
}

TEST(GoldenSchedules, OfADiamondAreAsReviewed) {
  const ComputationGraph graph = test::diamond_graph();
  for (const ScheduleEntry& entry : schedule_table()) {
    if (entry.name == "interleaved_1f1b") continue;  // runs chains
    std::vector<Stage> list = test::stage_per_operator(graph, 2);
    list[3].devices = {DeviceId{0}};
    if (entry.name == "kfkb")
      for (Stage& stage : list) stage.k = 2;
    const StageGraph stages(graph, list, PlanKind::Graph);
    expect_golden(fmt::format("schedule/diamond_{}.txt", entry.name),
                  orders_of_devices(test::schedule_of(stages, entry.name, {.mini_batch = 5})));
  }
}

TEST(GoldenSchedules, OfAnInterleavedChainIsAsReviewed) {
  // Six stages on devices 0 1 2 0 1 2.
  const ComputationGraph graph = test::chain_graph(6);
  std::vector<Stage> list = test::stage_per_operator(graph, 2);
  for (std::size_t s = 3; s < 6; ++s) list[s].devices = list[s - 3].devices;
  const StageGraph stages(graph, list, PlanKind::Graph);
  expect_golden(
      "schedule/chain_interleaved_1f1b.txt",
      orders_of_devices(test::schedule_of(stages, "interleaved_1f1b", {.mini_batch = 9})));
}

}  // namespace
}  // namespace pipegraph
