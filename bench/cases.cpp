#include "bench/cases.h"

#include <fmt/format.h>
#include <sys/resource.h>

#include <variant>

#include "core/base/errors.h"
#include "core/program/lower.h"
#include "core/schedule/table.h"
#include "tests/support/tiny_graphs.h"
#include "tests/support/tiny_stages.h"
#include "topologies/cluster_reader.h"
#include "topologies/uniform.h"

namespace pipegraph::bench {
namespace {

Case make_case(Workload workload, std::vector<Stage> stages) {
  Case made;
  made.workload = std::move(workload);
  made.stages = StageGraph(*made.workload.graph, std::move(stages), PlanKind::Graph);
  auto schedule = make_schedule(made.stages, *find_schedule("1f1b"),
                                {.mini_batch = made.workload.training.mini_batch});
  check(std::holds_alternative<Schedule>(schedule), "the case can be scheduled");
  made.schedule = std::get<Schedule>(std::move(schedule));
  return made;
}

rusage usage() {
  rusage used{};
  getrusage(RUSAGE_SELF, &used);
  return used;
}

}  // namespace

Case chain_case(int stages, int micro_batches) {
  ComputationGraph graph =
      test::chain_graph(stages, Seconds{1e-3}, Seconds{2e-3}, Bytes{1024 * 1024});
  std::vector<Stage> placed = test::stage_per_operator(graph);
  return make_case(
      test::tiny_workload(std::move(graph), uniform_cluster(stages, Seconds{5e-6}, {25e9}),
                          {.mini_batch = micro_batches}),
      std::move(placed));
}

Case replicas_case(int replicas, const ReplicasCluster& cluster) {
  constexpr int k_stages = 8;
  constexpr int k_micro_batches = 64;
  ComputationGraph graph = test::chain_graph(k_stages, {.forward = Seconds{1e-3},
                                                        .backward = Seconds{2e-3},
                                                        .output = Bytes{1024 * 1024},
                                                        .parameters = Bytes{1024 * 1024 * 1024}});
  std::vector<Stage> placed = test::stage_per_operator(graph, replicas);
  for (std::int32_t s = 0; s < k_stages; ++s) {
    std::vector<DeviceId>& devices = placed[static_cast<std::size_t>(s)].devices;
    devices.clear();
    for (std::int32_t r = 0; r < replicas; ++r) devices.push_back(DeviceId{k_stages * r + s});
  }
  const std::string text = fmt::format(
      "{{file: {}/topologies/{}, nodes: {}, devices_per_node: {}}}", PIPEGRAPH_SOURCE_DIR,
      cluster.file, replicas * k_stages / cluster.devices_per_node, cluster.devices_per_node);
  return make_case(
      test::tiny_workload(std::move(graph), read_cluster(YamlValue::parse(text, "bench")),
                          {.mini_batch = k_micro_batches * replicas}),
      std::move(placed));
}

Program lower_case(const Case& made) { return lower(made.workload, made.stages, made.schedule); }

double peak_memory_bytes() { return 1024.0 * static_cast<double>(usage().ru_maxrss); }

double cpu_seconds() {
  const rusage used = usage();
  const auto seconds = [](const timeval& time) {
    return static_cast<double>(time.tv_sec) + 1e-6 * static_cast<double>(time.tv_usec);
  };
  return seconds(used.ru_utime) + seconds(used.ru_stime);
}

}  // namespace pipegraph::bench
