#include "tests/support/emulated_run.h"

#include "core/base/errors.h"
#include "exec/emulated/emulated_engine.h"
#include "exec/transport/in_process.h"

namespace pipegraph::test {
namespace {

std::vector<DeviceId> all_devices(const Program& program) {
  std::vector<DeviceId> devices;
  for (std::size_t i = 0; i < program.device_count(); ++i) devices.push_back(make_id<DeviceId>(i));
  return devices;
}

}  // namespace

TransportWrapper misbehaving(const Program& program, const Misbehaviour& misbehaviour) {
  return [&program, misbehaviour](Transport& inner, RunState& state) {
    return make_misbehaving_transport(program, inner, state, misbehaviour);
  };
}

EmulatedRun::EmulatedRun(const Program& program, const Topology& topology, const Settings& settings)
    : program_(program),
      channels_(program),
      state_(program),
      inner_(make_in_process_transport(program, channels_, state_, settings.mover)) {
  if (settings.wrap) wrapped_ = settings.wrap(*inner_, state_);
  executor_ = std::make_unique<Executor>(
      Execution{.program = program,
                .channels = channels_,
                .state = state_,
                .transport = wrapped_ ? *wrapped_ : *inner_,
                .ranks = ranks_,
                .devices = all_devices(program),
                .engines = settings.engines ? settings.engines : emulated_engines(),
                .clocks = settings.clocks ? settings.clocks
                                          : emulated_clocks(program, topology, settings.collectives,
                                                            settings.time)},
      settings.execution);
}

std::variant<Timeline, Stuck> EmulatedRun::step() {
  try {
    return conclude(program_, executor_->run_step(Tracing::On).record.value());
  } catch (const MachineError&) {
    return explain_stuck(program_, state_.progress.completed_instructions());
  }
}

Timeline EmulatedRun::timeline() { return std::get<Timeline>(step()); }

std::string EmulatedRun::failure() {
  try {
    executor_->run_step(Tracing::Off);
    return "";
  } catch (const MachineError& error) {
    return error.what();
  }
}

}  // namespace pipegraph::test
