#include "core/report/tables.h"

#include <algorithm>
#include <string>

#include "core/report/csv.h"
#include "core/stage/parameters.h"
#include "core/stage/stage_costs.h"

namespace pipegraph {
namespace {

/// Stages on the longest path from a source to each stage, itself included; empty if cyclic.
std::vector<int> depths(const StageGraph& stages) {
  const auto order = topological_order(stages.edges());
  if (!order) return {};
  std::vector<int> depth(stages.size(), 1);
  for (Digraph::Node node : *order)
    for (Digraph::Node next : stages.edges().successors(node)) {
      int& after = depth[static_cast<std::size_t>(next)];
      after = std::max(after, depth[static_cast<std::size_t>(node)] + 1);
    }
  return depth;
}

std::string join_ids(const std::vector<DeviceId>& devices) {
  std::string text;
  for (DeviceId device : devices) text += (text.empty() ? "" : " ") + std::to_string(device.value);
  return text;
}

/// Time of one micro-batch on the replica with the largest share.
Seconds longest_pass(const RunReport& report, const Stage& stage, Pass pass) {
  const std::int32_t batch = std::min(stage.micro_batch, report.run.workload.training.mini_batch);
  const std::int32_t share = (batch + stage.replicas() - 1) / stage.replicas();
  Seconds longest{0};
  for (DeviceId device : stage.devices)
    longest = std::max(longest, pass_time(report.run.workload, stage, pass, share, device));
  return longest;
}

}  // namespace

void write_memory_csv(const std::filesystem::path& path, const RunReport& report) {
  constexpr std::size_t k_least_per_device = 16;
  const std::size_t most =
      std::max(k_least_per_device, k_most_shown / std::max<std::size_t>(1, report.devices.size()));
  CsvWriter csv(path, "device,time_s,bytes");
  for (std::size_t i = 0; i < report.devices.size(); ++i)
    for (const MemoryStep& step : thinned(report.memory[i].steps, most))
      (csv << report.devices[i] << step.time << step.bytes).end_row();
  csv.commit();
}

void write_stages_csv(const std::filesystem::path& path, const RunReport& report) {
  const StageGraph& stages = report.run.stages;
  const std::vector<int> depth = depths(stages);
  CsvWriter csv(path,
                "stage,name,depth,operators,devices,micro_batch_samples,k,in_flight_samples,"
                "forward_s,backward_s,parameters_bytes");
  for (std::size_t i = 0; i < stages.size(); ++i) {
    const Stage& stage = stages.stages()[i];
    csv << i << std::string_view(stage.name);
    depth.empty() ? csv.skip() : csv << depth[i];
    csv << stage.operators.size() << std::string_view(join_ids(stage.devices))
        << std::min(stage.micro_batch, report.run.workload.training.mini_batch) << stage.k
        << report.run.schedule.stages[i].in_flight_peak
        << longest_pass(report, stage, Pass::Forward) << longest_pass(report, stage, Pass::Backward)
        << parameters_of(*report.run.workload.graph, stage);
    csv.end_row();
  }
  csv.commit();
}

void write_stage_edges_csv(const std::filesystem::path& path, const RunReport& report) {
  CsvWriter csv(path, "from_stage,to_stage,bytes_per_sample");
  for (const StageEdge& edge : report.run.stages.transfers())
    (csv << edge.from << edge.to << edge.bytes).end_row();
  csv.commit();
}

void write_links_csv(const std::filesystem::path& path, const RunReport& report) {
  CsvWriter csv(path, "link,bandwidth_bytes_per_s,bytes,utilisation");
  for (const LinkUse& use : report.links) {
    const Link& link = report.topology().link(use.link);
    (csv << std::string_view(link.name) << link.bandwidth.value << use.bytes << use.utilisation)
        .end_row();
  }
  csv.commit();
}

void write_critical_path_csv(const std::filesystem::path& path, const RunReport& report) {
  CsvWriter csv(path, "instruction,device,kind,stage,start_s,end_s,cause");
  for (const PathInterval& interval : report.path.intervals) {
    const Instruction& instruction = report.run.program.at(interval.instruction);
    (csv << interval.instruction << instruction.device << to_text(instruction.kind)
         << instruction.stage << interval.start << interval.end << to_text(interval.cause))
        .end_row();
  }
  csv.commit();
}

}  // namespace pipegraph
