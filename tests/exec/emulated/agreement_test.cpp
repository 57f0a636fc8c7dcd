// Emulated devices in virtual time do exactly what the analytic backend does, however many there
// are and whatever else the machine does.
#include <gtest/gtest.h>

#include <filesystem>
#include <random>

#include "core/base/files.h"
#include "core/program/text.h"
#include "core/run/analytic_backend.h"
#include "tests/core/program/random_plans.h"
#include "tests/support/emulated_run.h"
#include "tests/support/random_programs.h"
#include "tests/support/tiny_clusters.h"
#include "tests/support/wired_clusters.h"

namespace pipegraph::test {
namespace {

Timeline analytic(const Program& program, const Topology& topology,
                  const CollectiveOptions& collectives = {}) {
  return std::get<Timeline>(
      run_program(program, *make_analytic_backend(program, topology, collectives)));
}

TEST(EmulatedAgreement, RandomProgramsEqualTheAnalyticBackendToTheLastBit) {
  for (unsigned seed = 0; seed < 60; ++seed) {
    const auto lanes = seed % 3 == 0 ? SketchLanes::Single : SketchLanes::Separate;
    const int devices = 2 + static_cast<int>(seed % 7);
    const Program program =
        random_program({.seed = seed, .devices = devices, .events = 150, .lanes = lanes});
    const Topology topology = mesh_cluster(devices, Seconds{1e-6 * (seed % 3)}, {1e9});
    EXPECT_EQ(EmulatedRun(program, topology, {}).timeline(), analytic(program, topology))
        << "seed " << seed;
  }
}

TEST(EmulatedAgreement, SixtyFourDevicesOnWhateverCoresThereAre) {
  const Program program = random_program({.seed = 1, .devices = 64, .events = 4000});
  const Topology topology = shared_port_cluster({.nodes = 16, .per_node = 4});
  EXPECT_EQ(EmulatedRun(program, topology, {}).timeline(), analytic(program, topology));
}

TEST(EmulatedAgreement, EveryCollectiveTakesTheTimeOfItsSteps) {
  for (const std::string algorithm : {"ring", "direct", "halving_doubling", "hierarchical"}) {
    const Program program = random_program({.seed = 7, .devices = 6, .events = 100});
    const Topology topology = shared_port_cluster({.nodes = 3, .per_node = 2});
    const CollectiveOptions collectives{.algorithm = algorithm};
    EXPECT_EQ(EmulatedRun(program, topology, {.collectives = collectives}).timeline(),
              analytic(program, topology, collectives))
        << algorithm;
  }
}

TEST(EmulatedAgreement, EveryStepIsLikeTheFirst) {
  const Program program = random_program({.seed = 3, .devices = 5, .events = 120});
  const Topology topology = mesh_cluster(5, Seconds{1e-6}, {1e9});
  EmulatedRun run(program, topology, {});
  const Timeline first = run.timeline();
  EXPECT_EQ(run.timeline(), first);
  EXPECT_EQ(run.executor().run_step(Tracing::Off).time, first.makespan());
  EXPECT_EQ(run.timeline(), first);
}

TEST(EmulatedAgreement, AnUntracedStepKeepsNoRecord) {
  const Program program = random_program({.seed = 3, .devices = 2, .events = 10});
  const Topology topology = mesh_cluster(2, Seconds{1e-6}, {1e9});
  EXPECT_FALSE(EmulatedRun(program, topology, {}).executor().run_step(Tracing::Off).record);
}

// Graphs and chains, replicas, several stages on a device, tied parameters, split backward, with
// and without overlap, few receive slots: some of these can never end, and get stuck at the same
// place.
TEST(EmulatedAgreement, RandomPlansEndOrGetStuckAsOnTheAnalyticBackend) {
  std::mt19937 random(7);
  int ended = 0;
  int stuck = 0;
  while (ended < 60) {
    const auto plan = random_plan(random, {.receive_slots = static_cast<int>(random() % 3)});
    if (!plan) continue;
    const Program& program = plan->program;
    const Topology topology =
        ported_cluster(static_cast<int>(program.device_count()), Seconds{0.01}, {1e5});
    const auto expected = run_program(program, *make_analytic_backend(program, topology));
    const auto emulated = EmulatedRun(program, topology, {}).step();
    ASSERT_EQ(emulated.index(), expected.index()) << to_text(program);
    if (const auto* timeline = std::get_if<Timeline>(&expected)) {
      ASSERT_EQ(std::get<Timeline>(emulated), *timeline) << to_text(program);
      ++ended;
    } else {
      ASSERT_EQ(std::get<Stuck>(emulated).text, std::get<Stuck>(expected).text);
      ++stuck;
    }
  }
  RecordProperty("stuck", stuck);
}

TEST(EmulatedAgreement, GoldenProgramsEqualTheAnalyticBackend) {
  const std::filesystem::path folder =
      std::filesystem::path(PIPEGRAPH_SOURCE_DIR) / "tests/golden/program";
  int programs = 0;
  for (const auto& file : std::filesystem::directory_iterator(folder)) {
    const Program program = parse_program(read_file(file.path()), file.path().string());
    const Topology topology =
        ported_cluster(static_cast<int>(program.device_count()), Seconds{1e-3}, {1e6});
    EXPECT_EQ(EmulatedRun(program, topology, {}).timeline(), analytic(program, topology))
        << file.path();
    ++programs;
  }
  EXPECT_GE(programs, 4);
}

}  // namespace
}  // namespace pipegraph::test
