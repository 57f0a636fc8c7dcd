// The merge of stages that share devices, against an obvious oracle on random cases, and what it
// says when an order cannot finish.
#include <gmock/gmock.h>

#include <algorithm>
#include <random>
#include <tuple>

#include "tests/core/schedule/schedule_support.h"

namespace pipegraph {
namespace {

using test::schedule_of;

/// What runs: one task's share on one device.
struct OracleTask {
  DeviceTask what;
  MicroBatch share;
  int start = -1;
  int end = -1;
};

/// List scheduling one unit of time after the other, every rule looked up by definition.
class Oracle {
 public:
  Oracle(const StageGraph& stages, const std::vector<StageSchedule>& orders)
      : stages_(stages), distance_(longest_paths_to_sinks(stages.edges())) {
    for (std::size_t s = 0; s < stages.size(); ++s) {
      const Stage& stage = stages.stages()[s];
      for (int r = 0; r < stage.replicas(); ++r) {
        std::vector<OracleTask>& queue = queues_.emplace_back();
        for (const Task& task : orders[s].tasks) {
          const MicroBatch own = share(task.samples, r, stage.replicas());
          if (!own.empty())
            queue.push_back({{stage.devices[static_cast<std::size_t>(r)], r, task}, own});
        }
      }
    }
  }

  /// In order of (start, device); empty if it cannot finish.
  std::vector<DeviceTask> run() {
    std::vector<DeviceTask> sequence;
    std::size_t left = 0;
    for (const auto& queue : queues_) left += queue.size();
    for (int now = 0; left > 0; ++now) {
      if (now > 100'000) return {};
      for (const DeviceId device : stages_.devices())
        if (OracleTask* best = best_for(device, now)) {
          best->start = now;
          const int unit = best->what.task.pass == Pass::Backward ? 2 : 1;
          best->end = now + unit * best->share.samples();
          sequence.push_back(best->what);
          --left;
        }
    }
    return sequence;
  }

 private:
  OracleTask* best_for(DeviceId device, int now) {
    OracleTask* best = nullptr;
    for (auto& queue : queues_)
      for (OracleTask& task : queue) {
        if (task.what.device != device || (task.end >= 0 && task.end <= now)) continue;
        if (task.start >= 0) return nullptr;  // busy
        if (ready(task, now) && (!best || rank(task) < rank(*best))) best = &task;
        break;
      }
    return best;
  }
  std::tuple<int, int, int, int> rank(const OracleTask& task) const {
    const Task& what = task.what.task;
    return {what.pass == Pass::Forward ? 1 : 0, what.samples.first, distance_[what.stage.index()],
            what.stage.value};
  }
  bool ready(const OracleTask& task, int now) const {
    const Task& what = task.what.task;
    const auto before = what.pass == Pass::Forward ? stages_.edges().predecessors(what.stage.value)
                                                   : stages_.edges().successors(what.stage.value);
    for (const auto& queue : queues_)
      for (const OracleTask& other : queue) {
        const Task& needed = other.what.task;
        const bool same_pass = needed.pass == what.pass && overlap(other.share, task.share) &&
                               std::count(before.begin(), before.end(), needed.stage.value) > 0;
        const bool own_forward = what.pass == Pass::Backward && needed.pass == Pass::Forward &&
                                 needed.stage == what.stage && other.share == task.share;
        if ((same_pass || own_forward) && (other.end < 0 || other.end > now)) return false;
      }
    return true;
  }

  const StageGraph& stages_;
  std::vector<int> distance_;
  std::vector<std::vector<OracleTask>> queues_;  ///< one per stage and replica
};

struct RandomCase {
  ComputationGraph graph;
  std::vector<Stage> stages;
  PlanKind kind = PlanKind::Graph;
  std::string schedule;
  ScheduleOptions options;
};

class RandomCases {
 public:
  explicit RandomCases(unsigned seed) : random_(seed) {}

  /// Micro-batches of up to `spread` samples more than there are replicas.
  RandomCase next(int spread = 3) {
    const int count = pick(1, 6);
    const int devices = pick(1, 5);
    RandomCase made{.graph = random_graph(count), .schedule = one_of({"1f1b", "gpipe", "kfkb"})};
    made.kind = pick(0, 1) == 0 ? PlanKind::Graph : PlanKind::Sequential;
    made.stages = test::stage_per_operator(made.graph);
    for (Stage& stage : made.stages) {
      stage.devices = random_group(devices);
      stage.micro_batch = stage.replicas() + pick(0, spread);
      if (made.schedule == "kfkb") stage.k = pick(1, 3);
    }
    made.options.mini_batch = pick(1, 4 * spread + 1);
    if (made.schedule != "gpipe") made.options.extra_in_flight = pick(0, 2);
    return made;
  }

 private:
  int pick(int least, int most) { return std::uniform_int_distribution(least, most)(random_); }
  std::string one_of(const std::vector<std::string>& words) {
    return words[static_cast<std::size_t>(pick(0, static_cast<int>(words.size()) - 1))];
  }
  ComputationGraph random_graph(int count) {
    std::vector<Operator> operators;
    for (int i = 0; i < count; ++i) {
      operators.push_back(test::tiny_operator("o" + std::to_string(i), {}));
      for (int j = 0; j < i; ++j)
        if (pick(0, 2) == 0) operators.back().inputs.push_back(OperatorId{j});
    }
    return ComputationGraph("random", operators);
  }
  std::vector<DeviceId> random_group(int devices) {
    std::vector<DeviceId> all;
    for (int d = 0; d < devices; ++d) all.push_back(DeviceId{d});
    std::shuffle(all.begin(), all.end(), random_);
    all.resize(static_cast<std::size_t>(pick(1, std::min(devices, 3))));
    return all;
  }
  std::mt19937 random_;
};

TEST(ListScheduling, AgreesWithTheObviousOracleAndNeverDeadlocks) {
  RandomCases cases(17);
  for (int i = 0; i < 1500; ++i) {
    const RandomCase c = cases.next();
    const StageGraph stages(c.graph, c.stages, c.kind);
    const auto result = make_schedule(stages, *find_schedule(c.schedule), c.options);
    const auto* schedule = std::get_if<Schedule>(&result);
    ASSERT_NE(schedule, nullptr) << "case " << i << ": "
                                 << std::get<ScheduleDeadlock>(result).cycle;
    ASSERT_EQ(schedule->sequence, Oracle(stages, schedule->stages).run()) << "case " << i;
  }
}

TEST(ListScheduling, TheRuleForSamplesInFlightNeverDeadlocks) {
  RandomCases cases(23);
  for (int i = 0; i < 10'000; ++i) {
    const RandomCase c = cases.next(20);
    const StageGraph stages(c.graph, c.stages, c.kind);
    const auto result = make_schedule(stages, *find_schedule(c.schedule), c.options);
    ASSERT_TRUE(std::holds_alternative<Schedule>(result))
        << "case " << i << ": " << std::get<ScheduleDeadlock>(result).cycle;
  }
}

TEST(ListScheduling, OneDeviceRunsBackwardsFirstAndThenTheOldestSamples) {
  const ComputationGraph graph = test::chain_graph(2);
  std::vector<Stage> list = test::stage_per_operator(graph);
  list[1].devices = list[0].devices;
  const Schedule schedule =
      schedule_of(StageGraph(graph, list, PlanKind::Graph), "gpipe", {.mini_batch = 2});
  std::string order;
  for (const DeviceTask& task : schedule.sequence) order += to_text(task.task) + " ";
  // gpipe: B1 comes after both F1. Of F0[1,2) and F1[0,1) the lower first sample goes first.
  EXPECT_EQ(order, "F0[0,1) F1[0,1) F0[1,2) F1[1,2) B1[0,1) B0[0,1) B1[1,2) B0[1,2) ");
  EXPECT_EQ(schedule.unit_makespan, 2 * 2 * (1 + 2));
}

TEST(ListScheduling, AStageOnAllDevicesSharesThemWithOthers) {
  // Stage 0 on devices 0 and 1, stage 1 on both as well: each device has half of everything.
  const ComputationGraph graph = test::chain_graph(2);
  std::vector<Stage> list = test::stage_per_operator(graph, 2);
  for (Stage& stage : list) stage.devices = {DeviceId{0}, DeviceId{1}};
  const Schedule schedule =
      schedule_of(StageGraph(graph, list, PlanKind::Graph), "1f1b", {.mini_batch = 8});
  EXPECT_EQ(schedule.unit_makespan, 2 * 4 * (1 + 2));
}

TEST(ListScheduling, ASplitBackwardTakesOneUnitForEachHalf) {
  const ComputationGraph graph = test::chain_graph(2);
  const StageGraph stages(graph, test::stage_per_operator(graph), PlanKind::Graph);
  std::vector<StageSchedule> orders(2);
  for (int s = 0; s < 2; ++s)
    orders[static_cast<std::size_t>(s)].tasks = {{StageId{s}, Pass::Forward, {0, 1}},
                                                 {StageId{s}, Pass::BackwardInput, {0, 1}},
                                                 {StageId{s}, Pass::BackwardWeight, {0, 1}}};
  const auto schedule = std::get<Schedule>(merge_stage_schedules(stages, orders));
  // F0 0-1, F1 1-2, I1 2-3, then I0 and W1 3-4, W0 4-5.
  EXPECT_EQ(schedule.unit_makespan, 5);
}

std::string deadlock_of(const StageGraph& stages, const ScheduleOptions& options) {
  return std::get<ScheduleDeadlock>(make_schedule(stages, *find_schedule("1f1b"), options)).cycle;
}

TEST(Deadlock, OfASequentialOrderAgainstTheDataIsTold) {
  // In the order fork, join, left, right: the join (stage 1) waits for left's tensor, and left
  // (stage 2, on its own device 1) comes after the join.
  const ComputationGraph graph = test::diamond_graph();
  const std::vector<Stage> listed = test::stage_per_operator(graph, 4);
  const StageGraph stages(graph, {listed[0], listed[3], listed[1], listed[2]},
                          PlanKind::Sequential);
  EXPECT_EQ(deadlock_of(stages, {.mini_batch = 8}),
            "F2[0,4) on d1 waits for F1[0,4) on d3, which waits for F2[0,4) on d1");
}

TEST(Deadlock, OfTooFewSamplesInFlightIsTold) {
  // The sink needs 4 samples at once, but stage 0 wants one back after each.
  const ComputationGraph graph = test::chain_graph(2);
  std::vector<Stage> list = test::stage_per_operator(graph, {1, 4});
  list[0].in_flight = 1;
  EXPECT_EQ(deadlock_of(StageGraph(graph, list, PlanKind::Graph), {.mini_batch = 8}),
            "B0[0,1) on d0 waits for B1[0,4) on d1, which stands behind F1[0,4) on d1, which waits "
            "for F0[1,2) on d0, which stands behind B0[0,1) on d0");
}

TEST(Deadlock, OfABackwardBeforeItsForwardIsTold) {
  const ComputationGraph graph = test::chain_graph(1);
  const StageGraph stages(graph, test::stage_per_operator(graph), PlanKind::Graph);
  std::vector<StageSchedule> orders(1);
  orders[0].tasks = {{StageId{0}, Pass::Backward, {0, 1}}, {StageId{0}, Pass::Forward, {0, 1}}};
  EXPECT_EQ(std::get<ScheduleDeadlock>(merge_stage_schedules(stages, orders)).cycle,
            "B0[0,1) on d0 waits for F0[0,1) on d0, which stands behind B0[0,1) on d0");
}

TEST(ListScheduling, RefusesOrdersThatMissATask) {
  const ComputationGraph graph = test::chain_graph(1);
  const StageGraph stages(graph, test::stage_per_operator(graph), PlanKind::Graph);
  std::vector<StageSchedule> orders(1);
  orders[0].tasks = {{StageId{0}, Pass::Forward, {0, 1}}};
  EXPECT_THROW(merge_stage_schedules(stages, orders), InternalError);
}

}  // namespace
}  // namespace pipegraph
