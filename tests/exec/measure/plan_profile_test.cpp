// What is collected of passes, on engines whose durations are known.
#include "exec/measure/plan_profile.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <mutex>

#include "exec/measure/lone_reductions.h"
#include "exec/transport/in_process.h"

namespace pipegraph {
namespace {

constexpr InstructionKind k_forward = InstructionKind::Forward;

/// Two devices; stage 0 on both, with forwards of one and two samples and an optimizer step; and an
/// all-reduce of the stage.
Program two_devices() {
  ProgramBuilder builder(2, {"s0"});
  const GroupId group = builder.group({{DeviceId{0}, DeviceId{1}}});
  const auto add = [&](std::int32_t device, InstructionKind kind, MicroBatch samples) {
    Instruction i;
    i.kind = kind;
    i.device = DeviceId{device};
    i.stage = StageId{0};
    i.samples = samples;
    const bool reduces = kind == InstructionKind::AllReduce;
    i.lane = builder.lane({i.device,
                           reduces ? LaneKind::Collective : LaneKind::Compute,
                           {},
                           reduces ? group : GroupId{}});
    if (reduces) i.group = group;
    builder.add(i, {});
  };
  add(0, k_forward, {0, 1});
  add(1, k_forward, {1, 3});
  add(0, InstructionKind::AllReduce, {});
  add(1, InstructionKind::AllReduce, {});
  add(0, InstructionKind::Optimizer, {});
  add(1, InstructionKind::Optimizer, {});
  return std::move(builder).build();
}

Durations durations(const std::vector<double>& seconds) {
  Durations result;
  for (const double value : seconds) result.emplace_back(value);
  return result;
}

TEST(PassSamples, GroupByStagePassAndShare) {
  const Program program = two_devices();
  PassSamples samples(program);
  samples.add(durations({1, 2, 9, 9, 4, 6}), PassSamples::Kinds::Computes);
  samples.add(durations({3, 2, 9, 9, 4, 6}), PassSamples::Kinds::Computes);
  samples.add(durations({8, 8, 5, 5, 8, 8}), PassSamples::Kinds::AllReduces);
  const MeasuredPlan plan = samples.measured("1", "p");
  ASSERT_EQ(plan.instructions.size(), 4U);
  const auto mean_of = [&](InstructionKind kind, std::int32_t share) {
    for (const MeasuredInstruction& measured : plan.instructions)
      if (measured.kind == kind && measured.samples == share) return measured.time.mean;
    return Seconds{-1};
  };
  EXPECT_EQ(mean_of(k_forward, 1), Seconds{2});                   // 1 and 3
  EXPECT_EQ(mean_of(k_forward, 2), Seconds{2});                   // 2 and 2
  EXPECT_EQ(mean_of(InstructionKind::Optimizer, 0), Seconds{5});  // 4, 6, 4, 6
  EXPECT_EQ(mean_of(InstructionKind::AllReduce, 0), Seconds{5});
}

TEST(PassSamples, LeaveOutWhatIsNotKnown) {
  const Program program = two_devices();
  PassSamples samples(program);
  samples.add(durations({1, NAN, NAN, NAN, NAN, NAN}), PassSamples::Kinds::Computes);
  ASSERT_EQ(samples.measured("1", "p").instructions.size(), 1U);
  EXPECT_EQ(samples.measured("1", "p").instructions[0].time.count, 1);
}

TEST(DurationsOf, AreThoseOfComputesAndReductions) {
  const Program program = two_devices();
  RunRecord record(program.size());
  for (std::size_t i = 0; i < program.size(); ++i) {
    record.start[i] = Seconds{1};
    record.end[i] = Seconds{1.0 + static_cast<double>(i)};
  }
  const Durations found = durations_of(program, record);
  for (std::size_t i = 0; i < program.size(); ++i)
    EXPECT_EQ(found[i], Seconds{static_cast<double>(i)});
}

/// Notes what it is asked to compute.
class NotingEngine : public Engine {
 public:
  NotingEngine(std::vector<InstructionId>& noted, std::mutex& mutex)
      : noted_(noted), mutex_(mutex) {}
  void start(InstructionId compute) override {
    const std::lock_guard lock(mutex_);
    noted_.push_back(compute);
    done_ = {compute, Seconds{0}, Seconds{0}};
  }
  std::span<const Completion> poll() override { return {&done_, 1}; }
  std::span<const Piece> pieces(InstructionId) override { return {}; }
  GradientSum reduced(InstructionId) override { return {}; }
  void add(Piece, Piece) override {}
  void copy(Piece, Piece) override {}
  Piece allocate(Bytes) override { return {}; }

 private:
  std::vector<InstructionId>& noted_;
  std::mutex& mutex_;
  Completion done_;
};

TEST(RunPassesAlone, ComputesEverythingEveryRoundInTheDevicesOrderAndNothingElse) {
  const Program program = two_devices();
  const Channels channels(program);
  RunState state(program);
  SingleRank ranks;
  const auto transport = make_in_process_transport(program, channels, state);
  std::vector<InstructionId> noted;
  std::mutex mutex;
  Executor executor(
      {.program = program,
       .channels = channels,
       .state = state,
       .transport = *transport,
       .ranks = ranks,
       .devices = {DeviceId{0}, DeviceId{1}},
       .engines = [&](DeviceId, Clock&) { return std::make_unique<NotingEngine>(noted, mutex); },
       .clocks = [](DeviceId) { return make_real_clock(); }},
      {});
  const auto rounds = run_passes_alone(executor, program, 2);
  ASSERT_EQ(rounds.size(), 2U);
  std::vector<std::int32_t> of_first, of_second;
  for (const InstructionId id : noted)
    (program.at(id).device == DeviceId{0} ? of_first : of_second).push_back(id.value);
  EXPECT_EQ(of_first, (std::vector<std::int32_t>{0, 4, 0, 4}));
  EXPECT_EQ(of_second, (std::vector<std::int32_t>{1, 5, 1, 5}));
  for (const Durations& round : rounds)
    for (std::size_t i = 0; i < program.size(); ++i)
      EXPECT_EQ(std::isnan(round[i].count()), !is_compute(program.instructions()[i].kind)) << i;
}

/// Has a vector of floats, and is asked for their sum over both devices.
class AddingEngine : public Engine {
 public:
  AddingEngine(DeviceId device, std::vector<float>& values) : device_(device), values_(values) {
    own_ = {reinterpret_cast<std::byte*>(values_.data()), Bytes{4 * values_.size()}};
    for (const std::int32_t other : {0, 1})
      addends_.push_back(
          {0, DeviceId{other}, other == device.value ? std::span(&own_, 1) : std::span<Piece>()});
  }
  void start(InstructionId) override {}
  std::span<const Completion> poll() override { return {}; }
  std::span<const Piece> pieces(InstructionId) override { return {}; }
  GradientSum reduced(InstructionId) override { return {addends_, std::span(&own_, 1)}; }
  void add(Piece to, Piece from) override {
    for (std::size_t i = 0; i < floats(to); ++i) data(to)[i] += data(from)[i];
  }
  void copy(Piece to, Piece from) override { std::copy_n(data(from), floats(to), data(to)); }
  Piece allocate(Bytes bytes) override {
    scratch_.resize(bytes.count);
    return {scratch_.data(), bytes};
  }

 private:
  static float* data(Piece piece) { return reinterpret_cast<float*>(piece.data); }
  static std::size_t floats(Piece piece) { return piece.bytes.count / 4; }

  DeviceId device_;
  std::vector<float>& values_;
  Piece own_;
  std::vector<Addend> addends_;
  std::vector<std::byte> scratch_;
};

// 1 and 2 become 3 and 3, then 6 and 6: both rounds were carried out, on all of both vectors.
TEST(LoneReductions, AddUpOnAllMembersAndNameTheirTimes) {
  const Program program = two_devices();
  const Channels channels(program);
  RunState state(program);
  SingleRank ranks;
  const auto transport = make_in_process_transport(program, channels, state);
  std::vector<std::vector<float>> values{std::vector<float>(5, 1.0F), std::vector<float>(5, 2.0F)};
  Executor executor({.program = program,
                     .channels = channels,
                     .state = state,
                     .transport = *transport,
                     .ranks = ranks,
                     .devices = {DeviceId{0}, DeviceId{1}},
                     .engines =
                         [&](DeviceId device, Clock&) {
                           return std::make_unique<AddingEngine>(device, values[device.index()]);
                         },
                     .clocks = [](DeviceId) { return make_real_clock(); }},
                    {});
  LoneReductions reductions(executor, {program, channels, state, *transport});
  ASSERT_TRUE(reductions.any());
  for (const float expected : {3.0F, 6.0F}) {
    const Durations durations = reductions.run();
    for (const std::vector<float>& of_device : values)
      EXPECT_EQ(of_device, std::vector<float>(5, expected));
    for (std::size_t i = 0; i < program.size(); ++i)
      EXPECT_EQ(std::isnan(durations[i].count()),
                program.instructions()[i].kind != InstructionKind::AllReduce);
    EXPECT_GT(durations[2], Seconds{0});
  }
}

}  // namespace
}  // namespace pipegraph
