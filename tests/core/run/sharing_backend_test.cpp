#include "core/run/sharing_backend.h"

#include <gtest/gtest.h>

#include "core/run/analytic_backend.h"
#include "core/run/run_program.h"
#include "tests/support/random_flows.h"
#include "tests/support/random_programs.h"

namespace pipegraph {
namespace {

Timeline timeline(const Program& program, Backend& backend) {
  return std::get<Timeline>(run_program(program, backend));
}

TEST(SharingBackend, SharesAreMaxMinFair) {
  for (unsigned seed = 0; seed < 300; ++seed) {
    const test::RandomFlows random(seed);
    const auto [program, sends] = random.program();
    const Topology topology = random.topology();
    const std::vector<double> expected = random.ends();

    const Timeline run = timeline(program, *make_sharing_backend(program, topology));

    for (std::size_t f = 0; f < sends.size(); ++f)
      EXPECT_NEAR(run.end[sends[f].index()].count(), expected[f], 1e-12)
          << "seed " << seed << ", flow " << f;
  }
}

TEST(SharingBackend, EqualsTheAnalyticBackendWhereNoLinkIsShared) {
  for (unsigned seed = 0; seed < 60; ++seed) {
    const int devices = 2 + static_cast<int>(seed % 6);
    const Program program =
        test::random_program({.seed = seed, .devices = devices, .events = 150, .apart = true});
    const Topology topology = test::mesh_cluster(devices, Seconds{1e-6 * (seed % 3)}, {1e9});

    const Timeline expected = timeline(program, *make_analytic_backend(program, topology));
    const Timeline found = timeline(program, *make_sharing_backend(program, topology));

    for (std::size_t i = 0; i < expected.size(); ++i) {
      EXPECT_NEAR(found.start[i].count(), expected.start[i].count(), 1e-12) << "seed " << seed;
      EXPECT_NEAR(found.end[i].count(), expected.end[i].count(), 1e-12) << "seed " << seed;
    }
  }
}

}  // namespace
}  // namespace pipegraph
