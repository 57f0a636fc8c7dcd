// Devices in several processes: the same times as in one, data that arrives, failures that all hear
// of. Every test runs on all ranks at once; sends and receives are those of the rank's devices.
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <unistd.h>

#include <chrono>
#include <cmath>
#include <csignal>
#include <numeric>
#include <thread>

#include "core/base/errors.h"
#include "core/run/analytic_backend.h"
#include "exec/clock_offset.h"
#include "tests/exec/mpi/mpi_run.h"
#include "tests/support/random_programs.h"
#include "tests/support/wired_clusters.h"

namespace pipegraph::test {
namespace {

using ::testing::AllOf;
using ::testing::HasSubstr;

TEST(MpiRanks, GatherTextsOfAnyLengthInRankOrder) {
  MpiRanks ranks(session(), Seconds{20});
  const std::string mine(static_cast<std::size_t>(session().rank()) * 3, 'a');
  const auto all = ranks.all_gather(mine);
  ASSERT_EQ(all.size(), static_cast<std::size_t>(session().size()));
  for (std::size_t i = 0; i < all.size(); ++i) EXPECT_EQ(all[i], std::string(i * 3, 'a'));
}

TEST(MpiTransport, EmulatedDevicesEqualTheAnalyticBackendToTheLastBit) {
  for (unsigned seed = 0; seed < 10; ++seed) {
    const int devices = 4 + static_cast<int>(seed % 4);
    const Program program = random_program({.seed = seed, .devices = devices, .events = 120});
    const Topology topology = mesh_cluster(devices, Seconds{1e-6}, {1e9});
    MpiRun run(program, topology, {});
    const auto record = run.executor().run_step(Tracing::On).record;
    ASSERT_TRUE(record);
    if (session().rank() == 0) {
      const auto backend = make_analytic_backend(program, topology, {});
      EXPECT_EQ(std::get<Timeline>(conclude(program, *record)),
                std::get<Timeline>(run_program(program, *backend)))
          << "seed " << seed;
    }
    EXPECT_EQ(run.executor().run_step(Tracing::Off).time,
              run.executor().run_step(Tracing::Off).time);
  }
}

/// One message from the first device to the last, which are on different ranks.
struct OneMessage {
  static constexpr std::uint64_t k_bytes = 24;
  ProgramSketch sketch{session().size()};
  int last = session().size() - 1;
  SketchedTransfer transfer = sketch.transfer({0, last}, k_bytes);
  Program program = std::move(sketch).build();
  Topology topology = mesh_cluster(session().size(), Seconds{1e-6}, {1e9});
};

/// Polls until something arrives.
std::vector<Arrival> arrivals(Transport& transport, int device) {
  for (;;) {
    const auto some = transport.poll(DeviceId{device});
    if (!some.empty()) return {some.begin(), some.end()};
  }
}

TEST(MpiTransport, CarriesPiecesThatTheEndsCutDifferently) {
  const OneMessage message;
  MpiRun run(message.program, message.topology, {});
  const ChannelId channel = run.channels().of(message.transfer.send);
  std::vector<unsigned char> data(OneMessage::k_bytes);
  const auto piece = [&](std::size_t first, std::size_t count) {
    return Piece{reinterpret_cast<std::byte*>(data.data() + first), {count}};
  };
  if (session().rank() == 0) {
    std::iota(data.begin(), data.end(), static_cast<unsigned char>(0));
    const std::vector<Piece> pieces{piece(0, 10), piece(10, 14)};
    run.transport().post(DeviceId{0}, {.channel = channel,
                                       .half = Half::Send,
                                       .instruction = message.transfer.send,
                                       .bytes = {OneMessage::k_bytes},
                                       .posted = Seconds{2.5},
                                       .pieces = pieces});
    const auto done = arrivals(run.transport(), 0);
    EXPECT_EQ(done.front().other_posted, Seconds{4.5});
  }
  if (session().rank() == session().size() - 1) {
    const std::vector<Piece> pieces{piece(20, 4), piece(0, 20)};
    run.transport().post(DeviceId{message.last}, {.channel = channel,
                                                  .half = Half::Recv,
                                                  .instruction = message.transfer.recv,
                                                  .bytes = {OneMessage::k_bytes},
                                                  .posted = Seconds{4.5},
                                                  .pieces = pieces});
    const auto done = arrivals(run.transport(), message.last);
    EXPECT_EQ(done.front().other_posted, Seconds{2.5});
    for (std::size_t i = 0; i < data.size(); ++i) EXPECT_EQ(data[(i + 20) % 24], i) << "byte " << i;
  }
}

TEST(MpiRanks, ReadOneClockOnOneHostAsTheirQuestionsConfirm) {
  MpiRanks ranks(session(), Seconds{20});
  const auto now = [] { return Seconds{std::chrono::steady_clock::now().time_since_epoch()}; };
  const auto echoes = ranks.ask_first_rank(10, now);
  ASSERT_EQ(echoes.size(), session().rank() == 0 ? 0U : 10U);
  if (echoes.empty()) return;
  const OffsetEstimate estimate = estimate_offset(echoes);
  EXPECT_LE(std::abs(estimate.offset.count()), estimate.bound.count()) << "the true one is 0";
}

/// A message that goes round all ranks twice.
Program round_trips(int devices) {
  ProgramSketch sketch(devices);
  Waits received;
  for (int i = 0; i < 2 * devices; ++i)
    received = {sketch.transfer({i % devices, (i + 1) % devices}, 8, received).recv};
  return std::move(sketch).build();
}

TEST(MpiTransport, TimesOfClocksTakenToBeApartKeepTheOrderWithinTheirBound) {
  const Program program = round_trips(session().size());
  const Topology topology = mesh_cluster(session().size(), Seconds{1e-3}, {1e9});
  MpiRun run(program, topology, {.time = EmulatedTime::Real, .rank_clocks = RankClocks::Apart});
  const StepResult step = run.executor().run_step(Tracing::On);
  if (session().rank() != 0) return;
  ASSERT_TRUE(step.clock_bound);
  EXPECT_GT(*step.clock_bound, Seconds{0});
  for (std::size_t i = 2; i < program.size(); ++i)
    EXPECT_GE(step.record->start[i], step.record->end[i - 2] - 2.0 * *step.clock_bound);
}

TEST(MpiTransport, RanksOfOneHostHaveOneClock) {
  const Program program = round_trips(session().size());
  const Topology topology = mesh_cluster(session().size(), Seconds{1e-3}, {1e9});
  MpiRun run(program, topology, {.time = EmulatedTime::Real});
  const StepResult step = run.executor().run_step(Tracing::On);
  EXPECT_FALSE(step.clock_bound);
  if (session().rank() != 0) return;
  for (std::size_t i = 2; i < program.size(); ++i)
    EXPECT_GE(step.record->start[i], step.record->end[i - 2]);
}

TEST(MpiFailure, NamesBothEndsWhenSizesDiffer) {
  const OneMessage message;
  MpiRun run(message.program, message.topology, {});
  const ChannelId channel = run.channels().of(message.transfer.send);
  static std::vector<std::byte> data(64);  // what does not fit is on its way for ever
  const auto half = [&](Half which, InstructionId id, std::uint64_t bytes) {
    static std::vector<Piece> pieces;
    pieces = {{data.data(), {bytes}}};
    return MessageHalf{
        .channel = channel, .half = which, .instruction = id, .bytes = {bytes}, .pieces = pieces};
  };
  if (session().rank() == 0)
    run.transport().post(DeviceId{0}, half(Half::Send, message.transfer.send, 24));
  if (session().rank() == session().size() - 1) {
    run.transport().post(DeviceId{message.last}, half(Half::Recv, message.transfer.recv, 16));
    std::string text;
    try {
      arrivals(run.transport(), message.last);
    } catch (const MachineError& error) {
      text = error.what();
    }
    EXPECT_THAT(text, AllOf(HasSubstr("sends 24 bytes"), HasSubstr("expects 16 bytes")));
  }
}

/// Fails on one device.
class Broken : public Engine {
 public:
  Broken(std::unique_ptr<Engine> inner, bool breaks) : inner_(std::move(inner)), breaks_(breaks) {}
  void begin_step(std::int64_t step) override { inner_->begin_step(step); }
  void start(InstructionId compute) override {
    if (breaks_) throw MachineError("this kernel is broken");
    inner_->start(compute);
  }
  std::span<const Completion> poll() override { return inner_->poll(); }
  std::span<const Piece> pieces(InstructionId half) override { return inner_->pieces(half); }
  GradientSum reduced(InstructionId id) override { return inner_->reduced(id); }
  void add(Piece destination, Piece source) override { inner_->add(destination, source); }
  void copy(Piece destination, Piece source) override { inner_->copy(destination, source); }
  Piece allocate(Bytes bytes) override { return inner_->allocate(bytes); }

 private:
  std::unique_ptr<Engine> inner_;
  bool breaks_;
};

TEST(MpiFailure, AFailureOnOneRankIsToldByAll) {
  const Program program = random_program({.seed = 1, .devices = 6, .events = 200});
  const Topology topology = mesh_cluster(6, Seconds{1e-6}, {1e9});
  const EngineFactory engines = [](DeviceId device, Clock& clock) {
    return std::make_unique<Broken>(emulated_engines()(device, clock), device == DeviceId{5});
  };
  MpiRun run(program, topology, {.engines = engines});
  const auto begin = std::chrono::steady_clock::now();
  std::string text;
  try {
    run.executor().run_step(Tracing::On);
  } catch (const MachineError& error) {
    text = error.what();
  }
  EXPECT_THAT(text, AllOf(HasSubstr("this kernel is broken"), HasSubstr("d5")));
  EXPECT_LT(std::chrono::steady_clock::now() - begin, std::chrono::seconds(15));
}

/// Stops this process for a while, as a user's Ctrl-Z would.
void stop_for(std::chrono::milliseconds duration) {
  const pid_t self = getpid();
  if (fork() == 0) {
    kill(self, SIGSTOP);
    usleep(static_cast<useconds_t>(duration.count() * 1000));
    kill(self, SIGCONT);
    _exit(0);
  }
  usleep(1000);  // the stop comes from outside
}

TEST(MpiFailure, ARankThatIsStoppedIsNamed) {
  const Program program = random_program({.seed = 2, .devices = 6, .events = 200});
  const Topology topology = mesh_cluster(6, Seconds{1e-6}, {1e9});
  const int last = session().size() - 1;
  MpiRun run(program, topology, {.deadline = Seconds{20}, .silence = Seconds{1}});
  if (session().rank() == last) {
    stop_for(std::chrono::milliseconds(3000));
    return;
  }
  std::string text;
  try {
    for (;;) run.executor().run_step(Tracing::Off);
  } catch (const MachineError& error) {
    text = error.what();
  }
  EXPECT_THAT(text,
              AllOf(HasSubstr("rank " + std::to_string(last)), HasSubstr("has not been heard of")));
}

}  // namespace
}  // namespace pipegraph::test
