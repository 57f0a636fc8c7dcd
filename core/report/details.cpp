#include "core/report/details.h"

#include <nlohmann/json.hpp>

namespace pipegraph {
namespace {

using Json = nlohmann::ordered_json;

Json window_json(const std::optional<Window>& window) {
  if (!window) return nullptr;
  return {{"first_s", 0.0},
          {"last_s", window->last_start.count()},
          {"shown_instructions", window->shown},
          {"instructions", window->all}};
}

Json parts_json(const MemoryCurve& curve) {
  Json parts;
  for (std::size_t i = 0; i < k_memory_parts; ++i)
    parts[std::string(to_text(static_cast<MemoryPart>(i)))] = curve.peak.parts[i].count;
  parts["reserved"] = curve.reserved.count;
  return parts;
}

/// The keys of the instruction that made a peak; null where nothing started yet.
void add_peak_instruction(const RunReport& report, const TimedPeak& peak, Json& json) {
  const bool known = peak.instruction.valid();
  const Instruction instruction = known ? report.run.program.at(peak.instruction) : Instruction{};
  const bool staged = known && instruction.stage.valid();
  const bool sampled = known && !instruction.samples.empty();
  json["peak_instruction"] = known ? Json(peak.instruction.value) : Json();
  json["peak_kind"] = known ? Json(to_text(instruction.kind)) : Json();
  json["peak_stage"] = staged ? Json(instruction.stage.value) : Json();
  json["peak_first_sample"] = sampled ? Json(instruction.samples.first) : Json();
  json["peak_last_sample"] = sampled ? Json(instruction.samples.last) : Json();
}

Json device_json(const RunReport& report, std::size_t position) {
  const DeviceTimes& times = report.metrics.devices[position];
  const Device& device = report.topology().device(times.device);
  const MemoryCurve& curve = report.memory[position];
  const Bytes needed = report.run.memory.devices[times.device.index()].peak + device.reserved;
  Json json{{"device", times.device.value},
            {"name", device.name},
            {"compute_s", times.compute.count()},
            {"exposed_communication_s", times.exposed_communication.count()},
            {"idle_s", times.idle.count()},
            {"available_bytes", device.unlimited_memory() ? Json() : Json(device.memory.count)},
            {"needed_bytes", needed.count},
            {"peak_bytes", curve.peak_bytes().count},
            {"peak_time_s", curve.peak.time.count()}};
  add_peak_instruction(report, curve.peak, json);
  json["peak_parts_bytes"] = parts_json(curve);
  return json;
}

Json path_json(const CriticalPath& path) {
  Json kinds = Json::object();
  for (std::size_t i = 0; i < path.by_kind.size(); ++i)
    if (path.by_kind[i] > Seconds{0})
      kinds[std::string(to_text(static_cast<InstructionKind>(i)))] = path.by_kind[i].count();
  Json stages = Json::object();
  for (const auto& [stage, time] : path.by_stage)
    stages[stage.valid() ? std::to_string(stage.value) : "tied"] = time.count();
  Json causes = Json::object();
  for (std::size_t i = 0; i < path.by_cause.size(); ++i)
    if (path.by_cause[i] > Seconds{0})
      causes[std::string(to_text(static_cast<PathCause>(i)))] = path.by_cause[i].count();
  return {{"by_kind_s", kinds}, {"by_stage_s", stages}, {"by_cause_s", causes}};
}

}  // namespace

std::string details_json(const RunReport& report) {
  Json devices = Json::array();
  for (std::size_t i = 0; i < report.devices.size(); ++i) devices.push_back(device_json(report, i));
  const Json json{{"format", 1},
                  {"makespan_s", report.metrics.iteration_time.count()},
                  {"window", window_json(report.window)},
                  {"devices", devices},
                  {"critical_path", path_json(report.path)}};
  return json.dump(1) + "\n";
}

}  // namespace pipegraph
