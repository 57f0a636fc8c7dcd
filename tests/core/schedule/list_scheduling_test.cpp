// The merge of stages that share devices, against an obvious oracle on random cases, and what it
// says when an order cannot finish.
#include <gmock/gmock.h>

#include <algorithm>
#include <map>
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
  int turn = -1;  ///< on its device; -1: whenever it is ready
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
        for (std::size_t t = 0; t < orders[s].tasks.size(); ++t) {
          const Task& task = orders[s].tasks[t];
          const MicroBatch own = share(task.samples, r, stage.replicas());
          const int turn = orders[s].turns.empty() ? -1 : orders[s].turns[t];
          if (!own.empty())
            queue.push_back({{stage.devices[static_cast<std::size_t>(r)], r, task}, own, turn});
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
      if (now > 10'000) return {};
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
    const int last = what.pass == Pass::BackwardWeight ? 2 : 0;
    return {what.pass == Pass::Forward ? 1 : last, what.samples.first,
            distance_[what.stage.index()], what.stage.value};
  }
  bool ready(const OracleTask& task, int now) const {
    for (const auto& queue : queues_)
      for (const OracleTask& other : queue)
        if ((needs(task, other) || comes_first(other, task)) && (other.end < 0 || other.end > now))
          return false;
    return true;
  }
  bool needs(const OracleTask& task, const OracleTask& other) const {
    const Task& what = task.what.task;
    const Task& needed = other.what.task;
    if (needed.stage == what.stage && other.share == task.share) {
      if (what.pass == Pass::BackwardWeight) return needed.pass == Pass::BackwardInput;
      return what.pass != Pass::Forward && needed.pass == Pass::Forward;
    }
    if (what.pass == Pass::BackwardWeight || needed.pass != what.pass) return false;
    const auto before = what.pass == Pass::Forward ? stages_.edges().predecessors(what.stage.value)
                                                   : stages_.edges().successors(what.stage.value);
    return overlap(other.share, task.share) &&
           std::count(before.begin(), before.end(), needed.stage.value) > 0;
  }
  static bool comes_first(const OracleTask& other, const OracleTask& task) {
    return other.what.device == task.what.device && other.turn < task.turn;
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
    RandomCase made{.graph = test::random_graph(random_, count),
                    .schedule = one_of({"1f1b", "gpipe", "kfkb", "zb1p"})};
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

/// The orders of a schedule, with the turns of the tasks on their devices as its sequence has them.
std::vector<StageSchedule> with_turns(const Schedule& schedule) {
  std::vector<StageSchedule> orders = schedule.stages;
  std::map<DeviceId, std::int32_t> turns;
  for (StageSchedule& order : orders) order.turns.assign(order.tasks.size(), -1);
  for (const DeviceTask& task : schedule.sequence) {
    StageSchedule& order = orders[task.task.stage.index()];
    const auto place = std::find(order.tasks.begin(), order.tasks.end(), task.task);
    order.turns[static_cast<std::size_t>(place - order.tasks.begin())] = turns[task.device]++;
  }
  return orders;
}

/// The same case without replicas, so that a turn is one device's.
RandomCase one_device_each(RandomCase made) {
  for (Stage& stage : made.stages) stage.devices.resize(1);
  return made;
}

TEST(ListScheduling, TurnsThatSayWhatHappensAnywayChangeNothing) {
  RandomCases cases(29);
  for (int i = 0; i < 300; ++i) {
    const RandomCase c = one_device_each(cases.next());
    const StageGraph stages(c.graph, c.stages, c.kind);
    const auto free =
        std::get<Schedule>(make_schedule(stages, *find_schedule(c.schedule), c.options));
    const auto fixed = std::get<Schedule>(merge_stage_schedules(stages, with_turns(free)));
    ASSERT_EQ(fixed.sequence, free.sequence) << "case " << i;
  }
}

TEST(ListScheduling, KeepsTurnsOrSaysThatTheyCannotBeKept) {
  RandomCases cases(31);
  int changed = 0, refused = 0;
  for (int i = 0; i < 1500; ++i) {
    const RandomCase c = one_device_each(cases.next());
    const StageGraph stages(c.graph, c.stages, c.kind);
    const auto free =
        std::get<Schedule>(make_schedule(stages, *find_schedule(c.schedule), c.options));
    std::vector<StageSchedule> orders = with_turns(free);
    // Tasks of two stages on a device change places.
    std::int32_t& one = orders[static_cast<std::size_t>(i) % orders.size()].turns.back();
    std::int32_t& other = orders[static_cast<std::size_t>(i / 7) % orders.size()].turns.back();
    if (c.stages[static_cast<std::size_t>(i) % orders.size()].devices !=
        c.stages[static_cast<std::size_t>(i / 7) % orders.size()].devices)
      continue;
    std::swap(one, other);
    const auto result = merge_stage_schedules(stages, orders);
    const auto* schedule = std::get_if<Schedule>(&result);
    const std::vector<DeviceTask> expected = Oracle(stages, orders).run();
    ASSERT_EQ(schedule != nullptr, !expected.empty()) << "case " << i;
    if (schedule == nullptr) {
      ++refused;
      continue;
    }
    ASSERT_EQ(schedule->sequence, expected) << "case " << i;
    changed += schedule->sequence == free.sequence ? 0 : 1;
  }
  EXPECT_GT(changed, 20);
  EXPECT_GT(refused, 20);
}

TEST(ListScheduling, RefusesTurnsOfSomeStagesOfADeviceOnly) {
  const ComputationGraph graph = test::chain_graph(2);
  std::vector<Stage> list = test::stage_per_operator(graph);
  list[1].devices = list[0].devices;
  const StageGraph stages(graph, list, PlanKind::Graph);
  std::vector<StageSchedule> orders = schedule_of(stages, "1f1b", {.mini_batch = 1}).stages;
  orders[0].turns = {0, 1};
  EXPECT_THROW(merge_stage_schedules(stages, orders), InternalError);
  orders[1].turns = {1, 2};
  EXPECT_THROW(merge_stage_schedules(stages, orders), InternalError);  // two tasks with turn 1
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

TEST(ListScheduling, TheWeightsPartOfASplitBackwardGivesWay) {
  // Stage 0 on device 1; stages 1 and 2, which only read the same input, on device 0. After F1 and
  // F2 device 0 has I1 and then of W1, F2 and I2 what others wait for.
  const ComputationGraph graph(
      "fork", {test::tiny_operator("s0", {}), test::tiny_operator("s1", {OperatorId{0}}),
               test::tiny_operator("s2", {OperatorId{0}})});
  std::vector<Stage> list = test::stage_per_operator(graph);
  list[0].devices = {DeviceId{1}};
  list[1].devices = list[2].devices = {DeviceId{0}};
  const Schedule schedule =
      schedule_of(StageGraph(graph, list, PlanKind::Graph), "zb1p", {.mini_batch = 1});
  std::string order;
  for (const DeviceTask& task : schedule.sequence)
    if (task.device.value == 0) order += to_text(task.task) + " ";
  EXPECT_EQ(order, "F1[0,1) I1[0,1) F2[0,1) I2[0,1) W1[0,1) W2[0,1) ");
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
