#include "exec/measure/lone_reductions.h"

#include <algorithm>
#include <chrono>
#include <limits>

#include "exec/cores.h"

namespace pipegraph {
namespace {

constexpr Seconds k_nap{0.0002};  // where devices share cores

Seconds since(SteadyTime epoch) { return std::chrono::steady_clock::now() - epoch; }

}  // namespace

LoneReductions::LoneReductions(Executor& executor, const Parts& parts)
    : executor_(executor),
      parts_(parts),
      counterparts_(parts.program),
      epoch_(std::chrono::steady_clock::now()),
      reducers_(parts.program.device_count()) {}

LoneReductions::~LoneReductions() = default;

Durations LoneReductions::run() {
  const std::size_t size = parts_.program.size();
  Times times{.start = std::vector<Seconds>(size), .end = std::vector<Seconds>(size)};
  executor_.on_each_device([&](DeviceId device, Engine& engine) { run_on(device, engine, times); });
  Durations durations(size, Seconds{std::numeric_limits<double>::quiet_NaN()});
  for (std::size_t c = 0; c < counterparts_.collectives(); ++c) {
    const auto members = counterparts_.members(c);
    Seconds end{0};
    for (const InstructionId member : members) end = std::max(end, times.end[member.index()]);
    for (const InstructionId member : members)
      durations[member.index()] = end - times.start[member.index()];
  }
  return durations;
}

/// In the order in which all devices number them, so that none waits for another's next one.
void LoneReductions::run_on(DeviceId device, Engine& engine, Times& times) {
  std::unique_ptr<AllReducer>& reducer = reducers_[device.index()];
  if (!reducer)
    reducer = std::make_unique<AllReducer>(
        ReducingContext{parts_.program, parts_.channels, parts_.transport, engine});
  for (std::size_t c = 0; c < counterparts_.collectives(); ++c)
    for (const InstructionId member : counterparts_.members(c)) {
      if (parts_.program.at(member).device != device) continue;
      times.start[member.index()] = carry_out(*reducer, member);
      times.end[member.index()] = since(epoch_);
    }
}

Seconds LoneReductions::carry_out(AllReducer& reducer, InstructionId member) {
  const DeviceId device = parts_.program.at(member).device;
  const bool own_core = parts_.program.device_count() <= usable_cores().size();
  std::optional<Seconds> start = reducer.start(member, since(epoch_));
  while (!start && !parts_.state.failure.happened()) {
    const std::span<const Arrival> arrivals = parts_.transport.poll(device);
    for (const Arrival& arrival : arrivals)
      if (const auto began = reducer.arrived(arrival)) start = began;
    if (arrivals.empty() && !own_core) parts_.transport.sleep(device, k_nap);
  }
  return start.value_or(Seconds{0});
}

}  // namespace pipegraph
