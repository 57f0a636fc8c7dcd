// What every backend must do, on streams of the stand-in through the executor, at either pace of
// the device.
#include "tests/exec/cuda/stream_engine.h"
#include "tests/support/conformance.h"
#include "tests/support/cuda_stand_in/control.h"
#include "tests/support/emulated_run.h"

namespace pipegraph::test {
namespace {

std::variant<Timeline, Stuck> run_on_streams(const Program& program, const Topology& topology,
                                             cuda_stand_in::Pace pace) {
  cuda_stand_in::reset({.pace = pace});
  std::variant<Timeline, Stuck> outcome;
  {
    CudaLanes lanes(
        choose_gpus(std::max<std::size_t>(1, program.device_count()), GpuSharing::Allowed));
    EmulatedRun run(program, topology,
                    {.execution = {.pinning = Pinning::Never},
                     .engines =
                         [&](DeviceId device, Clock& clock) {
                           return std::make_unique<StreamEngine>(program, lanes, device, clock);
                         },
                     .clocks = [](DeviceId) { return make_real_clock(); },
                     .mover = &lanes});
    outcome = run.step();
  }
  EXPECT_EQ(cuda_stand_in::take_findings(), std::vector<std::string>{});
  EXPECT_EQ(cuda_stand_in::reset(), std::vector<std::string>{}) << "left over";
  return outcome;
}

Conformant on_streams(const std::string& name, cuda_stand_in::Pace pace) {
  // Each device has a dispatcher of its own, whatever is asked for.
  return {.name = name,
          .run = [pace](const Program& program, const Topology& topology,
                        Dispatching) { return run_on_streams(program, topology, pace); },
          .promptness = Promptness::Eventually,
          .unit_s = 1e-3};
}

INSTANTIATE_TEST_SUITE_P(Cuda, Conformance,
                         testing::Values(on_streams("LateStreams", cuda_stand_in::Pace::Lazy),
                                         on_streams("PromptStreams", cuda_stand_in::Pace::Eager)),
                         conformant_name);

}  // namespace
}  // namespace pipegraph::test
