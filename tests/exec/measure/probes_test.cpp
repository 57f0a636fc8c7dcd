// That the probes measure something of the right form; how much is the machine's business.
#include "exec/measure/probes.h"

#include <gtest/gtest.h>

namespace pipegraph {
namespace {

TEST(Probes, MeasureDispatch) {
  const Measured dispatch = measure_dispatch({.repetitions = 3});
  EXPECT_GT(dispatch.mean.count(), 0.0);
  EXPECT_GE(dispatch.count, 1);
  EXPECT_LE(dispatch.count, 6);  // where all were disturbed, all of twice as many count
}

TEST(Probes, MeasureEverySizeOfTransfer) {
  const auto transfers =
      measure_transfers({Bytes{64}, Bytes{std::uint64_t{1} << 20}}, {.repetitions = 2});
  ASSERT_EQ(transfers.size(), 2U);
  EXPECT_EQ(transfers[0].size, Bytes{64});
  for (const MeasuredTransfer& transfer : transfers) EXPECT_GT(transfer.time.mean.count(), 0.0);
}

// A scheduler that says of every step that half of it was spent waiting for a core.
TEST(Probes, RepeatWhatIsDisturbedAndSayWhatStaysSo) {
  SchedulingTotals totals{.threads = 1};
  int readings = 0;
  const SchedulingReader always = [&] {
    ++readings;
    totals.run += Seconds{1};
    totals.waited += Seconds{1};
    return totals;
  };
  EXPECT_TRUE(measure_dispatch({.repetitions = 3, .scheduling = always}).disturbed);
  EXPECT_EQ(readings, 2 * 6);  // twice as many steps, a reading before and after each
  const SchedulingReader never = [] { return SchedulingTotals{}; };
  EXPECT_FALSE(measure_dispatch({.repetitions = 3, .scheduling = never}).disturbed);
}

TEST(Probes, UsualSizesGrowFourfold) {
  const std::vector<Bytes> sizes = usual_transfer_sizes();
  ASSERT_EQ(sizes.size(), 10U);  // 4^9 x 64 B = 16 MiB
  for (std::size_t i = 1; i < sizes.size(); ++i) EXPECT_EQ(sizes[i], sizes[i - 1] * 4);
  EXPECT_EQ(sizes.back(), Bytes{std::uint64_t{16} << 20});
}

}  // namespace
}  // namespace pipegraph
