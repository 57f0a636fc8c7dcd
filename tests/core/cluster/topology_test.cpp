#include "core/cluster/topology.h"

#include <gtest/gtest.h>

#include "core/base/errors.h"

namespace pipegraph {
namespace {

/// Every message crosses all links, in order.
class AllLinks : public Router {
 public:
  explicit AllLinks(std::int32_t links) : links_(links) {}
  std::vector<LinkId> links(DeviceId /*from*/, DeviceId /*to*/) const override {
    std::vector<LinkId> all;
    for (std::int32_t i = 0; i < links_; ++i) all.push_back(LinkId{i});
    return all;
  }

 private:
  std::int32_t links_;
};

Topology two_devices() {
  Device first;
  first.name = "a";
  Device second;
  second.name = "b";
  second.node = 1;
  return Topology("pair", {first, second},
                  {{"up", {4e9}, Seconds{0.25}}, {"mid", {1e9}, Seconds{0.5}}, {"down", {2e9}}},
                  std::make_shared<AllLinks>(3));
}

TEST(Topology, LatencyIsTheSumAndBandwidthTheSlowest) {
  const Topology pair = two_devices();
  const Route route = pair.route(DeviceId{0}, DeviceId{1});
  EXPECT_EQ(route.latency, Seconds{0.75});
  EXPECT_EQ(pair.bandwidth(route).value, 1e9);
  // 0.75 s + 2 GB / 1 GB/s
  EXPECT_DOUBLE_EQ(pair.transfer_time(DeviceId{0}, DeviceId{1}, 2e9).count(), 2.75);
}

TEST(Topology, CountsNodes) { EXPECT_EQ(two_devices().nodes(), 2); }

TEST(Topology, IsHomogeneousWhateverNamesAndPlaces) {
  const Topology pair = two_devices();
  EXPECT_TRUE(pair.homogeneous());
  std::vector<Device> devices = pair.devices();
  devices[1].slowdown = 2.0;
  EXPECT_FALSE(pair.with_devices(devices).homogeneous());
}

TEST(Topology, RefusesUnknownDevices) {
  EXPECT_THROW(two_devices().route(DeviceId{0}, DeviceId{2}), InternalError);
  EXPECT_THROW(two_devices().route(DeviceId{}, DeviceId{1}), InternalError);
}

}  // namespace
}  // namespace pipegraph
