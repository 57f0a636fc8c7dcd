// Backends by name, and what they count on the way.
#include "apps/backends.h"

#include <gtest/gtest.h>

#include "apps/progress.h"
#include "apps/study.h"
#include "core/plan/plan_reader.h"
#include "core/planners/evaluate.h"
#include "tests/apps/workbench.h"

namespace pipegraph {
namespace {

class Backends : public test::Workbench {};

TEST_F(Backends, CountEveryInstructionAlsoFromAChildProcess) {
  write_branches();
  const auto setup = set_up(Sweep(YamlValue::load("branches.yaml")).point(0));
  const Plan plan = read_plan(setup.scenario.plans.front().value, setup.workload).plan;
  const PreparedPlan prepared = prepare(setup.workload, plan);
  const std::size_t size = prepared.program->size();
  Progress progress({}, 1);
  for (const BackendKind kind : {BackendKind::Analytic, BackendKind::SimGrid}) {
    if (!is_built_in(kind)) continue;
    std::atomic<std::uint64_t>& completed = progress.parts(size);
    const BackendRun run =
        run_backend(*prepared.program, *setup.workload.topology, {.backend = kind}, completed);
    EXPECT_EQ(completed, size);
    EXPECT_EQ(run.timeline.size(), size);
  }
}

}  // namespace
}  // namespace pipegraph
