#include "core/program/memory.h"

#include <fmt/format.h>

#include <algorithm>
#include <tuple>

#include "core/program/lifetime_collector.h"
#include "core/program/reductions.h"

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
    : workload_(workload),
      stages_(stages),
      program_(program),
      slots_(stages, workload.training.mini_batch),
      order_(program),
      flows_(*workload.graph, stages),
      last_backwards_(slots_.size()),
      residents_(program.device_count()),
      parameters_(program.device_count()) {
  for (const Stage& stage : stages.stages())
    footprints_.push_back(footprint(*workload.graph, stage));
  for (const DeviceParameters& stored : device_parameters(*workload.graph, stages))
    parameters_[stored.device.index()] += stored.bytes;
  find_residents();
  find_last_backwards();
}

void MemoryAnalysis::find_residents() {
  for (std::size_t s = 0; s < stages_.size(); ++s) {
    const std::vector<DeviceId> devices = replica_devices(stages_.stages()[s]);
    for (std::size_t r = 0; r < devices.size(); ++r)
      residents_[devices[r].index()].push_back({make_id<StageId>(s), static_cast<std::int32_t>(r)});
  }
}

void MemoryAnalysis::find_last_backwards() {
  for (std::size_t n = 0; n < program_.size(); ++n) {
    const Instruction& i = program_.instructions()[n];
    if (is_pass(i.kind) && i.kind != InstructionKind::Forward)
      last_backwards_[slot_of(i)] = make_id<InstructionId>(n);
  }
}

std::int32_t MemoryAnalysis::replica_on(DeviceId device, StageId stage) const {
  for (const Resident& resident : residents_[device.index()])
    if (resident.stage == stage) return resident.replica;
  return -1;
}

std::size_t MemoryAnalysis::slot_of(const Instruction& pass) const {
  const std::int32_t replica = replica_on(pass.device, pass.stage);
  check(replica >= 0, "a pass runs on a device of its stage");
  return slots_.slot_at(pass.stage, pass.samples.first, replica);
}

std::vector<Lifetime> MemoryAnalysis::lifetimes(DeviceId device) const {
  std::vector<Lifetime> result = LifetimeCollector(*this, device).collect();
  std::sort(result.begin(), result.end(), [](const Lifetime& a, const Lifetime& b) {
    return std::tie(a.earliest, a.first, a.part, a.tensor, a.samples) <
           std::tie(b.earliest, b.first, b.part, b.tensor, b.samples);
  });
  return result;
}

DeviceMemory MemoryAnalysis::device(DeviceId device) const {
  const Device& hardware = workload_.topology->device(device);
  DeviceMemory memory;
  memory.parameters = memory.gradients = parameters_[device.index()];
  memory.optimizer_state = memory.parameters * state_copies(workload_.training.optimizer);
  if (hardware.memory > hardware.reserved) memory.available = hardware.memory - hardware.reserved;

  const std::vector<Lifetime> lifetimes = LifetimeCollector(*this, device).collect();
  const std::int32_t computes = order_.computes(device);
  const Moment fullest = fullest_moment(lifetimes, 2 * computes);
  memory.peak_parts = permanent_parts(memory);
  for (const Lifetime& lifetime : lifetimes)
    if (lifetime.earliest <= fullest && fullest <= lifetime.latest)
      part_of(memory.peak_parts, lifetime.part) += lifetime.bytes;
  memory.peak = total(memory.peak_parts);
  for (const InstructionId id : order_.on(device))
    if (is_compute(program_.at(id).kind) &&
        order_.earliest_start(id) <= std::max<Moment>(1, 2 * (fullest / 2) + 1))
      memory.peak_at = id;
  return memory;
}

MemoryReport MemoryAnalysis::report() const {
  MemoryReport report;
  for (std::size_t d = 0; d < program_.device_count(); ++d) {
    report.devices.push_back(device(make_id<DeviceId>(d)));
    const DeviceMemory& memory = report.devices.back();
    if (memory.fits() || !report.problem.empty()) continue;
    const auto& residents = residents_[d];
    const StageId stage = memory.peak_at.valid() ? program_.at(memory.peak_at).stage
                          : residents.empty()    ? StageId{}
                                                 : residents.front().stage;
    report.problem = fmt::format("stage '{}' on device d{} needs {}, {} available",
                                 stage.valid() ? stages_.at(stage).name : std::string("none"), d,
                                 to_text(memory.peak), to_text(memory.available));
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
