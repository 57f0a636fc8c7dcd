// SimGrid's shares against the plain computation of max-min fairness, on random flows.
#include <gtest/gtest.h>

#include "sim/simulate.h"
#include "tests/support/random_flows.h"

namespace pipegraph {
namespace {

TEST(Oracle, SharesAreMaxMinFair) {
  for (unsigned seed = 0; seed < 100; ++seed) {
    const test::RandomFlows random(seed);
    const auto [program, sends] = random.program();
    const std::vector<double> expected = random.ends();
    for (TransferMode mode : {TransferMode::LoneAsTimers, TransferMode::AllAsFlows}) {
      const auto result = simulate(program, random.topology(), {.transfers = mode});
      const Timeline& timeline = std::get<Timeline>(result.outcome);
      for (std::size_t f = 0; f < sends.size(); ++f)
        EXPECT_NEAR(timeline.end[sends[f].index()].count(), expected[f], 1e-12)
            << "seed " << seed << ", flow " << f;
    }
  }
}

}  // namespace
}  // namespace pipegraph
