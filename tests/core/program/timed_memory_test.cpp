// Bounds without times against runs with times, and against reachability worked out by brute force.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>

#include "core/program/causal_order.h"
#include "core/program/memory.h"
#include "core/program/text.h"
#include "tests/core/program/random_plans.h"

namespace pipegraph {
namespace {

using test::random_plan;
using test::TinyPlan;

struct Times {
  std::vector<Seconds> start, end;
  InstructionTimes view() const { return {start, end}; }
};

/// Members of the event that begins at `n`; they start and end together.
std::size_t members_at(const Program& program, std::size_t n) {
  const Instruction& first = program.instructions()[n];
  if (first.kind == InstructionKind::Send) return 2;
  if (first.kind == InstructionKind::AllReduce)
    return program.groups()[first.group.index()].devices.size();
  return 1;
}

/// Runs a strict program whose halves stand side by side: an event starts when all its members have
/// what they wait for. Durations are whole seconds from 0 to 3, so that many things coincide.
Times run(const Program& program, std::mt19937& random) {
  Times times{std::vector<Seconds>(program.size()), std::vector<Seconds>(program.size())};
  std::vector<Seconds> lane_end(program.lanes().size(), Seconds{0});
  for (std::size_t n = 0; n < program.size(); n += members_at(program, n)) {
    const std::size_t after = n + members_at(program, n);
    Seconds start{0};
    for (std::size_t m = n; m < after; ++m) {
      start = std::max(start, lane_end[program.instructions()[m].lane.index()]);
      for (const InstructionId wait : program.waits_on(make_id<InstructionId>(m)))
        start = std::max(start, times.end[wait.index()]);
    }
    const Seconds end = start + Seconds{static_cast<double>(random() % 4)};
    for (std::size_t m = n; m < after; ++m) {
      times.start[m] = start;
      times.end[m] = end;
      lane_end[program.instructions()[m].lane.index()] = end;
    }
  }
  return times;
}

TEST(TimedMemory, PeakIsNeverAboveTheBoundWithoutTimes) {
  std::mt19937 random(21);
  int reached = 0;
  for (int round = 0; round < 300; ++round) {
    const auto plan = random_plan(random, {.receive_slots = static_cast<int>(random() % 3)});
    if (!plan || plan->validated().verdict != Verdict::Strict) continue;
    const MemoryAnalysis memory(plan->workload, plan->stages, plan->program);
    const Times times = run(plan->program, random);
    for (std::size_t d = 0; d < plan->program.device_count(); ++d) {
      const auto device = make_id<DeviceId>(d);
      const DeviceMemory bound = memory.device(device);
      const TimedPeak peak = timed_peak(bound, memory.lifetimes(device), times.view());
      ASSERT_LE(peak.bytes, bound.peak) << "device " << d << "\n" << to_text(plan->program);
      ASSERT_EQ(total(peak.parts), peak.bytes);
      ASSERT_EQ(total(bound.peak_parts), bound.peak);
      reached += peak.bytes == bound.peak ? 1 : 0;
    }
  }
  EXPECT_GT(reached, 100);  // not just any bound
}

TEST(TimedMemory, NamesTheInstructionAndTimeOfThePeak) {
  // One stage, GPipe, three samples: full when the third forward starts, after two of 1 s.
  const TinyPlan plan = test::plan_of(test::chain_graph(1), 3, {.schedule = "gpipe"});
  const MemoryAnalysis memory(plan.workload, plan.stages, plan.program);
  Times times;
  for (int n = 0; n < 6; ++n) {
    times.start.push_back(Seconds{static_cast<double>(n)});
    times.end.push_back(Seconds{static_cast<double>(n + 1)});
  }
  const DeviceId device{0};
  const TimedPeak peak = timed_peak(memory.device(device), memory.lifetimes(device), times.view());
  EXPECT_EQ(peak.bytes, Bytes{3 * 1024});
  EXPECT_EQ(peak.time, Seconds{2});
  EXPECT_EQ(to_text(plan.program.at(peak.instruction)), "F0[2,3)");
}

TEST(TimedMemory, AllocationPrecedesAReleaseThatNeedNotComeFirst) {
  // Two lifetimes touch at 1 s: they add up unless their moments say that one is over.
  Lifetime a, b;
  a.first = a.last = InstructionId{0};
  b.first = b.last = InstructionId{1};
  a.bytes = b.bytes = Bytes{8};
  const std::vector<Seconds> start{Seconds{0}, Seconds{1}}, end{Seconds{1}, Seconds{2}};
  a.earliest = a.latest = 1;
  b.earliest = b.latest = 1;
  EXPECT_EQ(timed_peak({}, std::vector{a, b}, {start, end}).bytes, Bytes{16});
  b.earliest = b.latest = 2;
  EXPECT_EQ(timed_peak({}, std::vector{a, b}, {start, end}).bytes, Bytes{8});
}

/// before[x][y]: x ends before y can start, through waits, lanes and the members of events.
std::vector<std::vector<char>> reachability(const Program& program) {
  const std::size_t size = program.size();
  std::vector<std::vector<char>> before(size, std::vector<char>(size, 0));
  std::vector<std::size_t> event(size);  // first member
  std::vector<std::int32_t> lane_last(program.lanes().size(), -1);
  for (std::size_t n = 0; n < size; n += members_at(program, n)) {
    std::vector<std::size_t> causes;
    const std::size_t end = n + members_at(program, n);
    for (std::size_t m = n; m < end; ++m) {
      event[m] = n;
      for (const InstructionId wait : program.waits_on(make_id<InstructionId>(m)))
        causes.push_back(event[wait.index()]);
      std::int32_t& last = lane_last[program.instructions()[m].lane.index()];
      if (last >= 0) causes.push_back(event[static_cast<std::size_t>(last)]);
      last = static_cast<std::int32_t>(m);
    }
    for (const std::size_t cause : causes)
      for (std::size_t z = 0; z < size; ++z)
        if (before[z][cause] != 0 || (z >= cause && z < cause + members_at(program, cause)))
          for (std::size_t m = n; m < end; ++m) before[z][m] = 1;
  }
  return before;
}

struct Tightness {
  int exact = 0, loose = 0;
};

/// Checks every claim of the causal order, and counts those that could be stronger.
void check_claims(const Program& program, Tightness& tightness) {
  const CausalOrder order(program);
  const auto before = reachability(program);
  for (std::size_t n = 0; n < program.size(); ++n) {
    const auto id = make_id<InstructionId>(n);
    const Instruction& i = program.at(id);
    if (!is_transfer(i.kind)) continue;
    std::vector<std::size_t> computes;
    for (const InstructionId other : order.on(i.device))
      if (is_compute(program.at(other).kind)) computes.push_back(other.index());
    Moment truth = 0;
    if (i.kind == InstructionKind::Recv) {
      for (const std::size_t compute : computes) truth += 2 * before[compute][n];
      ASSERT_LE(order.earliest_start(id), truth) << "instruction " << n << "\n" << to_text(program);
      (order.earliest_start(id) == truth ? tightness.exact : tightness.loose) += 1;
    } else {
      for (const std::size_t compute : computes) truth += 2 * (1 - before[n][compute]);
      ASSERT_GE(order.latest_end(id), truth) << "instruction " << n << "\n" << to_text(program);
      (order.latest_end(id) == truth ? tightness.exact : tightness.loose) += 1;
    }
  }
}

TEST(CausalOrder, ClaimsOnlyWhatFollowsFromTheProgram) {
  std::mt19937 random(22);
  Tightness tightness;
  for (int round = 0; round < 200; ++round) {
    const auto plan = random_plan(random, {.receive_slots = static_cast<int>(random() % 3)});
    if (!plan || plan->validated().verdict != Verdict::Strict || plan->program.size() > 300)
      continue;
    check_claims(plan->program, tightness);
  }
  EXPECT_GT(tightness.exact, 4 * tightness.loose);
}

TEST(CausalOrder, IsExactOnChains) {
  for (const std::string schedule : {"1f1b", "gpipe", "kfkb", "zb1p"}) {
    Tightness tightness;
    check_claims(test::plan_of(test::chain_graph(4), 8, {.schedule = schedule}).program, tightness);
    EXPECT_EQ(tightness.loose, 0) << schedule;
    EXPECT_GT(tightness.exact, 50);
  }
}

}  // namespace
}  // namespace pipegraph
