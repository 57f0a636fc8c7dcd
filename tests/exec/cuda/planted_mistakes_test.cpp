// Mistakes planted between CUDA engines and the executor are caught: the lazy device turns them
// into wrong numbers, ThreadSanitizer reports them at either pace. Reports are expected here, so
// they do not fail the program by themselves.
#include <atomic>
#include <cmath>
#include <map>
#include <mutex>
#include <utility>

#include "exec/transport/copy_pieces.h"
#include "tests/exec/cuda/stand_in_devices.h"
#include "tests/exec/numerics/small_networks.h"
#include "tests/support/cuda_stand_in/sanitizer.h"
#include "tests/support/cuda_stand_in/stand_in_fixture.h"

namespace {

std::atomic<int> g_reports{0};

}  // namespace

extern "C" {
// NOLINTBEGIN(readability-identifier-naming,bugprone-reserved-identifier)
void __tsan_on_report(void* /*report*/) {
  ++g_reports;
  pipegraph::cuda_stand_in::stop_watching_streams();
}
const char* __tsan_default_options() {
  return "exitcode=0:suppress_equal_stacks=0:suppress_equal_addresses=0";
}
// NOLINTEND(readability-identifier-naming,bugprone-reserved-identifier)
}

namespace pipegraph::test {
namespace {

/// Passes everything on.
class WrappedMover : public Mover {
 public:
  explicit WrappedMover(CudaLanes& lanes) : lanes_(lanes) {}
  void posting(DeviceId self) override { lanes_.posting(self); }
  void begin(const Move& move) override { lanes_.begin(move); }
  bool ended(DeviceId receiver, ChannelId channel) override {
    return lanes_.ended(receiver, channel);
  }

 private:
  CudaLanes& lanes_;
};

/// Says that copies have ended when they have begun: receivers use what is not there yet, senders
/// reuse what is still being read.
class HastyMover final : public WrappedMover {
 public:
  using WrappedMover::WrappedMover;
  bool ended(DeviceId /*receiver*/, ChannelId /*channel*/) override { return true; }
};

/// A message fills the place of the one before it on its channel.
class SwappingMover final : public WrappedMover {
 public:
  explicit SwappingMover(CudaLanes& lanes) : WrappedMover(lanes) {}
  void begin(const Move& move) override {
    Move swapped = move;
    if (const auto before = exchange(move);
        !before.empty() && total_bytes(before) == total_bytes(move.target))
      swapped.target = before;
    WrappedMover::begin(swapped);
  }

 private:
  std::span<const Piece> exchange(const Move& move) {
    const std::lock_guard lock(mutex_);
    return std::exchange(last_[move.channel], move.target);
  }
  std::mutex mutex_;
  std::map<ChannelId, std::span<const Piece>> last_;
};

/// Copies do not wait for sums of gradients that are under way.
class ForgettingMover final : public WrappedMover {
 public:
  using WrappedMover::WrappedMover;
  void posting(DeviceId /*self*/) override {}
};

/// A receive by NCCL fills the place of the one before it on its channel.
class SwappingTransport final : public Transport {
 public:
  explicit SwappingTransport(std::unique_ptr<Transport> inner) : inner_(std::move(inner)) {}

  void post(DeviceId self, const MessageHalf& message) override {
    MessageHalf half = message;
    if (half.half == Half::Recv) {
      const std::lock_guard lock(mutex_);
      const auto before = std::exchange(last_[half.channel], message.pieces);
      if (!before.empty() && total_bytes(before) == total_bytes(message.pieces))
        half.pieces = before;
    }
    inner_->post(self, half);
  }
  std::span<const Arrival> poll(DeviceId self) override { return inner_->poll(self); }
  void sleep(DeviceId self, Seconds at_most) override { inner_->sleep(self, at_most); }
  bool unannounced(DeviceId self) const override { return inner_->unannounced(self); }
  bool quiet(DeviceId device) override { return inner_->quiet(device); }
  void abort(const Fault& fault) noexcept override { inner_->abort(fault); }

 private:
  std::unique_ptr<Transport> inner_;
  std::mutex mutex_;
  std::map<ChannelId, std::span<const Piece>> last_;
};

template <class M>
StandInDevices::Wrap with() {
  return [](CudaLanes& lanes) { return std::make_unique<M>(lanes); };
}

class PlantedMistakes : public CudaTraining {
 protected:
  /// Whether three steps of the plan come out wrong or are reported.
  static bool caught(const PlanSketch& sketch, const StandInDevices::Settings& settings,
                     const std::string& forgotten = "") {
    const ComputationGraph graph = dense_chain();
    const auto plan = plan_from(graph, sketch);
    TrainingRunOptions cpu;
    cpu.optimizer.learning_rate = 0.5;  // so that a wrong gradient shows in the next loss
    TrainingRunOptions cuda = on_stand_in(settings);
    cuda.optimizer = cpu.optimizer;
    const std::vector<double> expected =
        TrainingRun(plan->workload, plan->stages, plan->program, cpu).train(3);
    g_reports = 0;
    cuda_stand_in::watch_streams();
    TrainingRun run(plan->workload, plan->stages, plan->program, cuda);
    if (!forgotten.empty()) cuda_stand_in::forget_calls(forgotten);
    const std::vector<double> actual = run.train(3);
    return differ(actual, expected) || g_reports > 0;
  }

  static void expect_caught_where_it_shows(const PlanSketch& plan,
                                           const StandInDevices::Settings& settings,
                                           const std::string& forgotten = "") {
    EXPECT_FALSE(caught(plan, {.wrap = with<WrappedMover>(), .nccl = settings.nccl}));
    const bool shows =
        GetParam() == cuda_stand_in::Pace::Lazy || cuda_stand_in::under_thread_sanitizer();
    if (!shows) return;
    // Which of several ready streams goes next is drawn: not every order lets the mistake show.
    bool seen = false;
    for (std::uint64_t seed = 1; seed <= 20 && !seen; ++seed) {
      start({.devices = settings.nccl ? k_gpus : 2, .seed = seed});
      seen = caught(plan, settings, forgotten);
    }
    EXPECT_TRUE(seen);
  }

  static constexpr int k_gpus = 4;  ///< one for each device

  /// Fewer slots than micro-batches, so that places are used again.
  static PlanSketch chain(std::int32_t mini_batch = 16) {
    return cut_before(dense_chain(), {"fc1", "fc2", "fc3"},
                      {.mini_batch = mini_batch, .optimizer = Optimizer::Sgd});
  }

 private:
  static bool differ(const std::vector<double>& actual, const std::vector<double>& expected) {
    constexpr double k_rounding = 1e-4;
    for (std::size_t step = 0; step < expected.size(); ++step)
      if (!(std::abs(actual[step] - expected[step]) <= k_rounding * expected[step])) return true;
    return false;
  }
};
INSTANTIATE_TEST_SUITE_P(Paces, PlantedMistakes, cuda_stand_in::both_paces(),
                         cuda_stand_in::pace_name);

TEST_P(PlantedMistakes, AMissingWaitBeforeAMessageIsUsedOrItsPlaceReused) {
  expect_caught_where_it_shows(chain(), {.wrap = with<HastyMover>()});
}

TEST_P(PlantedMistakes, AReceiveIntoThePlaceOfAnotherMessage) {
  EXPECT_TRUE(caught(chain(), {.wrap = with<SwappingMover>()}));
}

TEST_P(PlantedMistakes, AReceiveByNcclIntoThePlaceOfAnotherMessage) {
  start({.devices = k_gpus});
  const auto swapping = [](std::unique_ptr<Transport> transport) {
    return std::make_unique<SwappingTransport>(std::move(transport));
  };
  EXPECT_FALSE(caught(chain(), {.nccl = NcclSettings{}}));
  EXPECT_TRUE(caught(chain(), {.nccl = NcclSettings{}, .outside = swapping}));
}

TEST_P(PlantedMistakes, AMissingWaitBetweenTheStreamsOfSumsAndMessages) {
  expect_caught_where_it_shows(
      replicated(on_one_device(dense_chain(),
                               {.mini_batch = 16, .micro_batch = 4, .optimizer = Optimizer::Sgd}),
                 {3}),
      {.wrap = with<ForgettingMover>()});
}

TEST_P(PlantedMistakes, AMissingWaitBetweenTheStreamsOfSumsAndNccl) {
  start({.devices = k_gpus});
  expect_caught_where_it_shows(
      replicated(on_one_device(dense_chain(),
                               {.mini_batch = 16, .micro_batch = 4, .optimizer = Optimizer::Sgd}),
                 {3}),
      {.nccl = NcclSettings{}}, "cudaStreamWaitEvent");
}

TEST_P(PlantedMistakes, AHostThatReadsWhatIsStillBeingCopiedToIt) {
  expect_caught_where_it_shows(chain(), {.wrap = with<WrappedMover>()}, "cudaStreamSynchronize");
}

TEST_P(PlantedMistakes, AHostThatTakesAComputeForEndedBeforeItIs) {
  // Everything races with everything: few instructions give reports enough.
  expect_caught_where_it_shows(chain(2), {.wrap = with<WrappedMover>()}, "cudaEventQuery");
}

}  // namespace
}  // namespace pipegraph::test
