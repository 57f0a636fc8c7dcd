#include "core/report/measured_times.h"

#include <gtest/gtest.h>

#include "core/base/errors.h"

namespace pipegraph {
namespace {

std::vector<Seconds> seconds(const std::vector<double>& values) {
  std::vector<Seconds> times;
  for (double value : values) times.emplace_back(value);
  return times;
}

TEST(Quartiles, OfFiveTimesAreTheSecondThirdAndFourth) {
  const Quartiles times = quartiles(seconds({5, 1, 4, 2, 3}));
  EXPECT_EQ(times.lower, Seconds{2});
  EXPECT_EQ(times.median, Seconds{3});
  EXPECT_EQ(times.upper, Seconds{4});
}

// Places 0.75, 1.5 and 2.25 between the ranks 0 to 3.
TEST(Quartiles, LieBetweenTheNearestRanks) {
  const Quartiles times = quartiles(seconds({10, 20, 30, 40}));
  EXPECT_DOUBLE_EQ(times.lower.count(), 17.5);
  EXPECT_DOUBLE_EQ(times.median.count(), 25);
  EXPECT_DOUBLE_EQ(times.upper.count(), 32.5);
}

TEST(Quartiles, OfOneTimeAreThatTime) {
  const Quartiles times = quartiles(seconds({7}));
  EXPECT_EQ(times.lower, Seconds{7});
  EXPECT_EQ(times.upper, Seconds{7});
}

TEST(Quartiles, OfNothingAreAMistake) { EXPECT_THROW(quartiles({}), InternalError); }

}  // namespace
}  // namespace pipegraph
