// Several stages of a chain on each device, in turns. A forward of a stage takes 1 here, a backward
// 2: of v stages on a device F = v and B = 2 v per micro-batch.
#include <gmock/gmock.h>

#include "tests/core/schedule/schedule_support.h"

namespace pipegraph {
namespace {

using test::schedule_of;
using testing::ElementsAre;
using testing::HasSubstr;

struct Shape {
  int devices = 2;  ///< P
  int chunks = 2;   ///< v
  std::int32_t micro_batch = 1;
};

std::vector<Stage> dealt_out(const ComputationGraph& graph, const Shape& shape) {
  std::vector<Stage> list = test::stage_per_operator(graph, shape.micro_batch);
  for (std::size_t s = 0; s < list.size(); ++s)
    list[s].devices = {DeviceId{static_cast<std::int32_t>(s) % shape.devices}};
  return list;
}

Schedule interleaved(const Shape& shape, std::int32_t mini_batch,
                     std::string_view name = "interleaved_1f1b") {
  const ComputationGraph graph = test::chain_graph(shape.devices * shape.chunks);
  return schedule_of(StageGraph(graph, dealt_out(graph, shape), PlanKind::Graph), name,
                     {.mini_batch = mini_batch});
}

std::vector<Task> tasks_on(const Schedule& schedule, int device) {
  std::vector<Task> tasks;
  for (const DeviceTask& task : schedule.sequence)
    if (task.device.value == device) tasks.push_back(task.task);
  return tasks;
}

std::vector<std::int64_t> peaks_of_devices(const Schedule& schedule, int devices) {
  std::vector<std::int64_t> peaks;
  for (int d = 0; d < devices; ++d) peaks.push_back(peak_in_flight(tasks_on(schedule, d)));
  return peaks;
}

TEST(Interleaved, FillsThePipelineInAVthOfTheTime) {
  // In units of a stage's forward: M v (1 + 2) + (P - 1)(1 + 2); divided by v that is 28.5, 13.5,
  // 34.5 and 16.5 for F = 1 and B = 2 of a whole device.
  EXPECT_EQ(interleaved({.devices = 4}, 8).unit_makespan, 57);
  EXPECT_EQ(interleaved({.devices = 2}, 4).unit_makespan, 27);
  EXPECT_EQ(interleaved({.devices = 8}, 8).unit_makespan, 69);
  EXPECT_EQ(interleaved({.devices = 4}, 4).unit_makespan, 33);
  for (int devices = 1; devices <= 6; ++devices)
    for (int chunks = 2; chunks <= 4; ++chunks)
      for (int rounds = 1; rounds <= 4; ++rounds) {
        const int batches = rounds * devices;
        EXPECT_EQ(interleaved({.devices = devices, .chunks = chunks}, batches).unit_makespan,
                  3 * (batches * chunks + devices - 1));
      }
}

TEST(Interleaved, KeepsTwoMoreForEveryDeviceBelowAndARoundForEveryOtherStage) {
  // Forwards before the first backward: 2 (P - 1 - p) + (v - 1) P of M v, then one more in turn.
  EXPECT_THAT(peaks_of_devices(interleaved({.devices = 4}, 8), 4), ElementsAre(11, 9, 7, 5));
  EXPECT_THAT(peaks_of_devices(interleaved({.devices = 2}, 4), 2), ElementsAre(5, 3));
  EXPECT_THAT(peaks_of_devices(interleaved({.devices = 4}, 4), 4), ElementsAre(8, 8, 7, 5));
  EXPECT_THAT(peaks_of_devices(interleaved({.devices = 3, .chunks = 3}, 9), 3),
              ElementsAre(2 * 2 + 2 * 3 + 1, 2 * 1 + 2 * 3 + 1, 2 * 3 + 1));
}

TEST(Interleaved, RunsItsStagesInRoundsOfAsManyMicroBatchesAsDevices) {
  // P = 2, M = 4: stages 0 and 2 on device 0, which forwards 2 + 2 before it takes turns; forwards
  // go 0 0 2 2, backwards 2 2 0 0.
  EXPECT_EQ(test::tokens(tasks_on(interleaved({}, 4), 0)),
            "F0[0,1) F0[1,2) F2[0,1) F2[1,2) "
            "F0[2,3) B2[0,1) F0[3,4) B2[1,2) F2[2,3) B0[0,1) F2[3,4) B0[1,2) "
            "B2[2,3) B2[3,4) B0[2,3) B0[3,4)");
}

TEST(Interleaved, OfARaggedRoundIsTheNextFullOneWithoutWhatThereIsNot) {
  // M = 3: as above without sample 3.
  EXPECT_EQ(test::tokens(tasks_on(interleaved({}, 3), 0)),
            "F0[0,1) F0[1,2) F2[0,1) F2[1,2) "
            "F0[2,3) B2[0,1) B2[1,2) F2[2,3) B0[0,1) B0[1,2) B2[2,3) B0[2,3)");
}

TEST(Interleaved, FinishesWhateverTheNumberOfMicroBatchesAndNeverAfterOneForwardOneBackward) {
  for (int devices = 1; devices <= 8; ++devices)
    for (int chunks = 2; chunks <= 4; ++chunks)
      for (int batches = 1; batches <= 3 * devices + 1; ++batches) {
        const Schedule schedule = interleaved({.devices = devices, .chunks = chunks}, batches);
        EXPECT_EQ(schedule.sequence.size(),
                  static_cast<std::size_t>(2 * devices * chunks * batches));
        EXPECT_LE(schedule.unit_makespan, 3 * chunks * (batches + devices - 1))
            << devices << " devices, " << chunks << " stages each, " << batches;
      }
}

TEST(Interleaved, GroupsOfReplicasShareTheirSamples) {
  // Groups of two devices, b = 2: each replica has a sample of each of 4 micro-batches, 4 stages on
  // 2 groups: as above, 27. The ragged last micro-batch of one sample is the second replica's.
  const ComputationGraph graph = test::chain_graph(4);
  std::vector<Stage> list = test::stage_per_operator(graph, 2);
  for (std::size_t s = 0; s < list.size(); ++s)
    list[s].devices =
        s % 2 == 0 ? std::vector{DeviceId{0}, DeviceId{1}} : std::vector{DeviceId{2}, DeviceId{3}};
  const StageGraph stages(graph, list, PlanKind::Sequential);
  EXPECT_EQ(schedule_of(stages, "interleaved_1f1b", {.mini_batch = 8}).unit_makespan, 27);
  const Schedule ragged = schedule_of(stages, "interleaved_1f1b", {.mini_batch = 7});
  EXPECT_EQ(ragged.unit_makespan, 27);
  EXPECT_EQ(tasks_on(ragged, 0).size(), 2U * 2U * 3U);
  EXPECT_EQ(tasks_on(ragged, 1).size(), 2U * 2U * 4U);
}

TEST(Interleaved, TakesChainsInWhateverOrderTheyAreListed) {
  const ComputationGraph graph = test::chain_graph(4);
  std::vector<Stage> list = dealt_out(graph, {});
  const StageGraph forwards(graph, list, PlanKind::Graph);
  std::reverse(list.begin(), list.end());
  const StageGraph backwards(graph, list, PlanKind::Graph);
  EXPECT_EQ(schedule_of(forwards, "interleaved_1f1b", {.mini_batch = 4}).unit_makespan,
            schedule_of(backwards, "interleaved_1f1b", {.mini_batch = 4}).unit_makespan);
}

/// What is said of four stages on two devices after `change`.
template <class Change>
std::string refusal(const Change& change, const ComputationGraph& graph = test::chain_graph(4)) {
  std::vector<Stage> list = dealt_out(graph, {});
  change(list);
  try {
    schedule_of(StageGraph(graph, list, PlanKind::Graph), "interleaved_1f1b", {.mini_batch = 4});
  } catch (const ConfigError& error) {
    return error.what();
  }
  return "accepted";
}

TEST(Interleaved, SaysWhatItsStagesAndDevicesShouldBe) {
  EXPECT_EQ(refusal([](std::vector<Stage>&) {}), "accepted");
  EXPECT_THAT(refusal([](std::vector<Stage>& list) {
                for (int s = 0; s < 4; ++s)
                  list[static_cast<std::size_t>(s)].devices = {DeviceId{s}};
              }),
              HasSubstr("no stage but s0 stands on devices [0]; expected two or more stages on "
                        "each device, or schedule: 1f1b"));
  EXPECT_THAT(refusal([](std::vector<Stage>& list) { list[3].devices = {DeviceId{2}}; }),
              HasSubstr("stage s3 stands on devices [2]; expected those of stage s1, [1]"));
  EXPECT_THAT(refusal([](std::vector<Stage>& list) {
                list[2].devices = {DeviceId{1}};
                list[3].devices = {DeviceId{0}};
              }),
              HasSubstr("stage s2 stands on device 1 out of turn"));
  EXPECT_THAT(refusal([](std::vector<Stage>& list) {
                list[2].devices = {DeviceId{2}};
                list[3].devices = {DeviceId{0}};
              }),
              HasSubstr("4 stages do not go evenly on 3 groups"));
  EXPECT_THAT(refusal([](std::vector<Stage>&) {}, test::diamond_graph()),
              HasSubstr("stages left and right do not follow each other; expected kind: "
                        "sequential, or schedule: 1f1b"));
}

TEST(Interleaved, RefusesOptionsItHasNoUseFor) {
  EXPECT_THAT(refusal([](std::vector<Stage>& list) { list[1].k = 2; }), HasSubstr("k is 2"));
  EXPECT_THAT(refusal([](std::vector<Stage>& list) { list[1].in_flight = 2; }),
              HasSubstr("in_flight is 2"));
  EXPECT_THAT(refusal([](std::vector<Stage>& list) { list[1].micro_batch = 2; }),
              HasSubstr("the micro-batch of stage s1 is 2, that of stage s0 is 1"));
  const ComputationGraph graph = test::chain_graph(4);
  const StageGraph stages(graph, dealt_out(graph, {}), PlanKind::Graph);
  EXPECT_THROW(schedule_of(stages, "interleaved_1f1b", {.mini_batch = 4, .extra_in_flight = 1}),
               ConfigError);
}

}  // namespace
}  // namespace pipegraph
