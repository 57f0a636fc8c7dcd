#include "exec/measure/statistics.h"

#include <gtest/gtest.h>

#include <cmath>

namespace pipegraph {
namespace {

std::vector<Seconds> milliseconds(const std::vector<double>& values) {
  std::vector<Seconds> times;
  for (const double value : values) times.emplace_back(value * 1e-3);
  return times;
}

TEST(WithoutGrossOutliers, AveragesWhatIsNotGross) {
  // Median 2 ms: everything above 4.5 ms goes; 4.5 ms itself stays.
  const Measured measured = without_gross_outliers(milliseconds({1, 2, 4.5, 1, 2, 4.6, 90}));
  EXPECT_EQ(measured.count, 5);
  EXPECT_NEAR(measured.mean.count(), 2.1e-3, 1e-15);
  // Squares of -1.1, -0.1, 2.4, -1.1, -0.1 add up to 8.2.
  EXPECT_NEAR(measured.spread.count(), std::sqrt(8.2 / 5) * 1e-3, 1e-15);
}

TEST(WithoutGrossOutliers, LeavesShortTimesRoomForAnInterrupt) {
  // Ten microseconds that once take 400: below 2 x 10 us + 0.5 ms.
  const Measured measured = without_gross_outliers(milliseconds({0.01, 0.01, 0.01, 0.4}));
  EXPECT_EQ(measured.count, 4);
}

TEST(WithoutGrossOutliers, AllowNothingWhereTimesAreMeansOfMany) {
  const Measured measured =
      without_gross_outliers(milliseconds({0.01, 0.01, 0.02, 0.021, 0.01}), Seconds{0});
  EXPECT_EQ(measured.count, 4);  // twice the median is 0.02
}

TEST(WithoutGrossOutliers, OfNothingIsNothing) {
  EXPECT_EQ(without_gross_outliers({}), Measured{});
  EXPECT_EQ(without_gross_outliers(milliseconds({3})).count, 1);
}

}  // namespace
}  // namespace pipegraph
