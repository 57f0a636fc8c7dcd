#include "core/cluster/transfer_table.h"

#include <gtest/gtest.h>

#include <cmath>

#include "core/base/errors.h"
#include "tests/support/tiny_clusters.h"

namespace pipegraph {
namespace {

TransferTable table() {
  return TransferTable({{Bytes{4096}, Seconds{4e-6}}, {Bytes{1024}, Seconds{1e-6}}});
}

TEST(TransferTable, GivesMeasuredSizesExactly) {
  EXPECT_EQ(table().time(1024.0), Seconds{1e-6});
  EXPECT_EQ(table().time(4096.0), Seconds{4e-6});
}

TEST(TransferTable, IsStraightInLogarithmsBetween) {
  // Half way between 1 KiB and 4 KiB in the logarithm is 2 KiB, and between 1 us and 4 us 2 us.
  EXPECT_NEAR(table().time(2048.0).count(), 2e-6, 1e-18);
  const TransferTable uneven({{Bytes{100}, Seconds{1e-6}}, {Bytes{10'000}, Seconds{1e-5}}});
  // A hundredfold size takes ten times as long: tenfold takes sqrt(10) times.
  EXPECT_NEAR(uneven.time(1000.0).count(), std::sqrt(10.0) * 1e-6, 1e-18);
}

TEST(TransferTable, IsConstantBelowAndInProportionAbove) {
  EXPECT_EQ(table().time(0.0), Seconds{1e-6});
  EXPECT_EQ(table().time(1.0), Seconds{1e-6});
  EXPECT_DOUBLE_EQ(table().time(40'960.0).count(), 4e-5);
}

TEST(TransferTable, RefusesWhatCannotBe) {
  EXPECT_THROW(TransferTable({}), InternalError);
  EXPECT_THROW(TransferTable({{Bytes{0}, Seconds{1}}}), InternalError);
  EXPECT_THROW(TransferTable({{Bytes{1}, Seconds{0}}}), InternalError);
  EXPECT_THROW(TransferTable({{Bytes{1}, Seconds{1}}, {Bytes{1}, Seconds{2}}}), InternalError);
}

TEST(Topology, TakesMeasuredTimesOfTransfersButNoLessThanItsLinksNeed) {
  const DeviceId a{0}, b{1};
  // 1 GB/s: 4 KiB need 4.096 us, more than the 4 us measured; 1 KiB 1.024 us.
  const Topology slow = test::ported_cluster(2, Seconds{5e-6}, BytesPerSecond{1e9});
  EXPECT_DOUBLE_EQ(slow.with_transfers(table()).transfer_time(a, b, 4096.0).count(), 4.096e-6);
  const Topology ideal = test::ideal_cluster(2).with_transfers(table());
  EXPECT_DOUBLE_EQ(ideal.transfer_time(a, b, 4096.0).count(), 4e-6);
  EXPECT_EQ(ideal.transfer_time(a, a, 4096.0), Seconds{0});
  EXPECT_DOUBLE_EQ(ideal.with_devices(ideal.devices()).transfer_time(a, b, 4096.0).count(), 4e-6);
}

}  // namespace
}  // namespace pipegraph
