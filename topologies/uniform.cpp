#include "topologies/uniform.h"

#include <fmt/format.h>

#include <utility>

#include "core/base/errors.h"

namespace pipegraph {
namespace {

class UniformRouter : public Router {
 public:
  std::vector<LinkId> links(DeviceId from, DeviceId to) const override {
    return {LinkId{2 * from.value}, LinkId{2 * to.value + 1}};
  }
};

}  // namespace

Topology uniform_cluster(int devices, Seconds latency, BytesPerSecond bandwidth,
                         const Device& device) {
  check(devices > 0, "a cluster has at least one device");
  std::vector<Device> all(static_cast<std::size_t>(devices), device);
  std::vector<Link> links;
  links.reserve(2 * all.size());
  for (std::size_t i = 0; i < all.size(); ++i) {
    all[i].name = fmt::format("gpu{}", i);
    all[i].node = 0;
    all[i].socket = 0;
    links.push_back({all[i].name + "->switch", bandwidth, latency / 2});
    links.push_back({"switch->" + all[i].name, bandwidth, latency / 2});
  }
  return Topology("uniform", std::move(all), std::move(links), std::make_shared<UniformRouter>());
}

}  // namespace pipegraph
