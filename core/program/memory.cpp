#include "core/program/memory.h"

#include <fmt/format.h>

#include <algorithm>
#include <tuple>

#include "core/program/lifetime_collector.h"
#include "core/stage/parameter_copies.h"

namespace pipegraph {

namespace {

/// The moment at which the most is live, the first of several.
Moment fullest_moment(std::span<const Lifetime> lifetimes, Moment last) {
  std::vector<std::int64_t> change(static_cast<std::size_t>(last) + 2, 0);
  for (const Lifetime& lifetime : lifetimes) {
    const auto bytes = static_cast<std::int64_t>(lifetime.bytes.count);
    change[static_cast<std::size_t>(lifetime.earliest)] += bytes;
    change[static_cast<std::size_t>(lifetime.latest) + 1] -= bytes;
  }
  std::int64_t live = 0, most = -1;
  Moment fullest = 0;
  for (Moment m = 0; m <= last; ++m) {
    live += change[static_cast<std::size_t>(m)];
    if (live <= most) continue;
    most = live;
    fullest = m;
  }
  return fullest;
}

Bytes& part_of(MemoryParts& parts, MemoryPart part) {
  return parts[static_cast<std::size_t>(part)];
}

MemoryParts permanent_parts(const DeviceMemory& memory) {
  MemoryParts parts{};
  part_of(parts, MemoryPart::Parameters) = memory.parameters;
  part_of(parts, MemoryPart::Gradients) = memory.gradients;
  part_of(parts, MemoryPart::OptimizerState) = memory.optimizer_state;
  return parts;
}

/// Says that a device has too little memory for the stage of its fullest moment.
std::string problem_of(const MemoryModel& model, DeviceId device, const DeviceMemory& memory) {
  const auto& residents = model.residents[device.index()];
  const StageId stage = memory.peak_at.valid() ? model.program.at(memory.peak_at).stage
                        : residents.empty()    ? StageId{}
                                               : residents.front().stage;
  return fmt::format("stage '{}' on device d{} needs {}, {} available",
                     stage.valid() ? model.stages.at(stage).name : std::string("none"),
                     device.value, to_text(memory.peak), to_text(memory.available));
}

}  // namespace

std::string_view to_text(MemoryPart part) {
  static constexpr std::array<std::string_view, k_memory_parts> k_names{
      "parameters",    "gradients",    "optimizer_state", "activations",
      "receive_slots", "send_buffers", "workspace"};
  return k_names[static_cast<std::size_t>(part)];
}

Bytes total(const MemoryParts& parts) {
  Bytes sum;
  for (const Bytes bytes : parts) sum += bytes;
  return sum;
}

bool MemoryReport::fits() const {
  return std::all_of(devices.begin(), devices.end(),
                     [](const DeviceMemory& device) { return device.fits(); });
}

MemoryAnalysis::MemoryAnalysis(const Workload& workload, const StageGraph& stages,
                               const Program& program)
    : model_(std::make_unique<const MemoryModel>(workload, stages, program)) {}
MemoryAnalysis::~MemoryAnalysis() = default;

std::vector<Lifetime> MemoryAnalysis::lifetimes(DeviceId device) const {
  std::vector<Lifetime> result = LifetimeCollector(*model_, device).collect();
  std::sort(result.begin(), result.end(), [](const Lifetime& a, const Lifetime& b) {
    return std::tie(a.earliest, a.first, a.part, a.tensor, a.samples) <
           std::tie(b.earliest, b.first, b.part, b.tensor, b.samples);
  });
  return result;
}

DeviceMemory MemoryAnalysis::device(DeviceId device) const {
  const Device& hardware = model_->workload.topology->device(device);
  DeviceMemory memory;
  const Bytes parameters = model_->parameters[device.index()];
  const ParameterCopies copies = parameter_copies(model_->workload.training);
  memory.parameters = parameters * copies.weights;
  memory.gradients = parameters * copies.gradients;
  memory.optimizer_state = parameters * copies.state;
  if (hardware.memory > hardware.reserved) memory.available = hardware.memory - hardware.reserved;

  const std::vector<Lifetime> lifetimes = LifetimeCollector(*model_, device).collect();
  const std::int32_t computes = model_->order.computes(device);
  const Moment fullest = fullest_moment(lifetimes, 2 * computes);
  memory.peak_parts = permanent_parts(memory);
  for (const Lifetime& lifetime : lifetimes)
    if (lifetime.earliest <= fullest && fullest <= lifetime.latest)
      part_of(memory.peak_parts, lifetime.part) += lifetime.bytes;
  memory.peak = total(memory.peak_parts);
  for (const InstructionId id : model_->order.on(device))
    if (is_compute(model_->program.at(id).kind) &&
        model_->order.earliest_start(id) <= std::max<Moment>(1, 2 * (fullest / 2) + 1))
      memory.peak_at = id;
  return memory;
}

MemoryReport MemoryAnalysis::report() const {
  MemoryReport report;
  Bytes most_missing;
  for (std::size_t d = 0; d < model_->program.device_count(); ++d) {
    report.devices.push_back(device(make_id<DeviceId>(d)));
    const DeviceMemory& memory = report.devices.back();
    if (memory.fits() || memory.peak - memory.available <= most_missing) continue;
    most_missing = memory.peak - memory.available;
    report.problem = problem_of(*model_, make_id<DeviceId>(d), memory);
  }
  return report;
}

MemoryReport plan_memory(const Workload& workload, const StageGraph& stages,
                         const Program& program) {
  return MemoryAnalysis(workload, stages, program).report();
}

std::vector<MemoryEvent> memory_events(std::span<const Lifetime> lifetimes,
                                       const InstructionTimes& times) {
  std::vector<MemoryEvent> events;
  events.reserve(2 * lifetimes.size());
  for (std::size_t n = 0; n < lifetimes.size(); ++n) {
    const auto number = static_cast<std::uint32_t>(n);
    events.push_back({times.start[lifetimes[n].first.index()], false, number});
    events.push_back({times.end[lifetimes[n].last.index()], true, number});
  }
  const auto moment = [&](const MemoryEvent& event) {
    const Lifetime& lifetime = lifetimes[event.lifetime];
    return event.releases ? lifetime.latest : lifetime.earliest;
  };
  std::sort(events.begin(), events.end(), [&](const MemoryEvent& a, const MemoryEvent& b) {
    return std::tuple(a.time, moment(a), a.releases, a.lifetime) <
           std::tuple(b.time, moment(b), b.releases, b.lifetime);
  });
  return events;
}

TimedPeak timed_peak(const DeviceMemory& memory, std::span<const Lifetime> lifetimes,
                     const InstructionTimes& times) {
  TimedPeak peak;
  MemoryParts parts = permanent_parts(memory);
  peak.parts = parts;
  peak.bytes = total(parts);
  Bytes live = peak.bytes;
  for (const MemoryEvent& event : memory_events(lifetimes, times)) {
    const Lifetime& lifetime = lifetimes[event.lifetime];
    if (event.releases) {
      live -= lifetime.bytes;
      part_of(parts, lifetime.part) -= lifetime.bytes;
      continue;
    }
    live += lifetime.bytes;
    part_of(parts, lifetime.part) += lifetime.bytes;
    if (live > peak.bytes) peak = {live, event.time, lifetime.first, parts};
  }
  return peak;
}

}  // namespace pipegraph
