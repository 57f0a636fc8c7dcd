// What every backend must do, on streams of the stand-in through the executor, at either pace of
// the device; messages are copies, or travel by NCCL.
#include "exec/cuda/nccl_transport.h"
#include "tests/exec/cuda/stream_engine.h"
#include "tests/support/conformance.h"
#include "tests/support/cuda_stand_in/control.h"
#include "tests/support/emulated_run.h"

namespace pipegraph::test {
namespace {

struct OnStreams {
  cuda_stand_in::Pace pace = cuda_stand_in::Pace::Lazy;
  std::optional<NcclSettings> nccl;  ///< on a GPU for each device; none: copies, on two GPUs
};

/// NCCL between GPUs, on what the executor would use without it. All must outlive it.
TransportWrapper by_nccl(const Program& program, const Channels& channels, CudaLanes& lanes,
                         const NcclSettings& settings) {
  return [&, settings](Transport& inner, RunState& state) {
    static SingleRank alone;
    return make_nccl_transport(
        {.program = program,
         .channels = channels,
         .state = state,
         .ranks = alone,
         .rank_of_device = std::vector<std::int32_t>(program.device_count(), 0),
         .inner = inner},
        lanes, settings);
  };
}

std::variant<Timeline, Stuck> run_on_streams(const Program& program, const Topology& topology,
                                             const OnStreams& settings) {
  const std::size_t devices = std::max<std::size_t>(1, program.device_count());
  cuda_stand_in::reset(
      {.devices = settings.nccl ? static_cast<int>(devices) : 2, .pace = settings.pace});
  std::variant<Timeline, Stuck> outcome;
  {
    const Channels channels(program);
    CudaLanes lanes(choose_gpus(devices, GpuSharing::Allowed));
    EmulatedRun run(program, topology,
                    {.execution = {.pinning = Pinning::Never},
                     .wrap = settings.nccl ? by_nccl(program, channels, lanes, *settings.nccl)
                                           : TransportWrapper{},
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

Conformant on_streams(const std::string& name, const OnStreams& settings) {
  // Each device has a dispatcher of its own, whatever is asked for.
  return {.name = name,
          .run = [settings](const Program& program, const Topology& topology,
                            Dispatching) { return run_on_streams(program, topology, settings); },
          .promptness = Promptness::Eventually,
          .unit_s = 1e-3,
          .most_stages = settings.nccl ? 100 : 1000};
}

constexpr auto k_late = cuda_stand_in::Pace::Lazy;
constexpr auto k_prompt = cuda_stand_in::Pace::Eager;

INSTANTIATE_TEST_SUITE_P(Cuda, Conformance,
                         testing::Values(on_streams("LateStreams", {k_late, {}}),
                                         on_streams("PromptStreams", {k_prompt, {}}),
                                         on_streams("LateNccl", {k_late, NcclSettings{}}),
                                         on_streams("PromptNccl", {k_prompt, NcclSettings{}})),
                         conformant_name);

}  // namespace
}  // namespace pipegraph::test
