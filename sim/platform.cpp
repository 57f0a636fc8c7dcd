#include "sim/platform.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <simgrid/kernel/routing/NetPoint.hpp>
#include <simgrid/kernel/routing/NetZoneImpl.hpp>
#include <string_view>
#include <xbt/config.hpp>

#include "core/base/errors.h"

namespace pipegraph {
namespace {

namespace routing = simgrid::kernel::routing;

constexpr double k_unlimited = 1e30;  // bytes per second; SimGrid aborts on infinity

/// Points of the network are numbered in the order of their creation, so a point's id is its
/// device.
class FlatZone : public routing::NetZoneImpl {
 public:
  FlatZone(const Topology& topology, NetworkModel model)
      : NetZoneImpl("cluster"), topology_(topology), model_(model) {}

  simgrid::s4u::Host* add_host(std::size_t device) {
    simgrid::s4u::Host* host = create_host(std::to_string(device), {1.0});
    check(host->get_netpoint()->id() == device, "points are numbered like devices");
    return host;
  }

  void add_link(std::size_t number, double bandwidth, Seconds latency) {
    simgrid::s4u::Link* link = create_link("l" + std::to_string(number), {bandwidth});
    if (model_ != NetworkModel::Ideal) link->set_latency(latency.count());
    links_.push_back(link->get_impl());
  }

 private:
  void get_local_route(const routing::NetPoint* from, const routing::NetPoint* to,
                       routing::Route* into, double* latency) override {
    const Route route = topology_.route(make_id<DeviceId>(from->id()), make_id<DeviceId>(to->id()));
    for (LinkId link : route.links) into->link_list_.push_back(links_[link.index()]);
    // The way back, for cross-traffic, is asked for without a latency.
    if (latency != nullptr) *latency += model_ == NetworkModel::Ideal ? 1.0 : route.latency.count();
  }

  const Topology& topology_;
  NetworkModel model_;
  std::vector<simgrid::kernel::resource::StandardLinkImpl*> links_;
};

FactorTable parse_factors(std::string_view text) {
  // "65472:11.6436;15424:3.48845;...;0:2.01467"
  FactorTable table;
  while (!text.empty()) {
    const std::string_view step = text.substr(0, text.find(';'));
    text.remove_prefix(std::min(text.size(), step.size() + 1));
    const std::size_t colon = step.find(':');
    check(colon != std::string_view::npos, "SimGrid's factors are size:factor pairs");
    const FactorStep parsed{std::stod(std::string(step.substr(0, colon))),
                            std::stod(std::string(step.substr(colon + 1)))};
    table.push_back(parsed);
  }
  std::ranges::sort(table, {}, &FactorStep::above_bytes);
  return table;
}

}  // namespace

std::vector<std::string> engine_options(NetworkModel model) {
  // SimGrid merges events closer than its precision, 1 ns by default.
  std::vector<std::string> options{"--log=xbt_cfg.thresh:warning", "--cfg=surf/precision:1e-12"};
  switch (model) {
    case NetworkModel::Ideal:
      // What is left of a link counts as nothing below this share of it. Far below 1e-9 rounding
      // leaves more than nothing, and SimGrid crashes.
      options.insert(options.end(),
                     {"--cfg=network/model:CM02", "--cfg=network/TCP-gamma:0",
                      "--cfg=network/crosstraffic:0", "--cfg=maxmin/precision:1e-9"});
      break;
    case NetworkModel::Lv08:
      options.emplace_back("--cfg=network/model:LV08");
      break;
    case NetworkModel::Smpi:
      options.emplace_back("--cfg=network/model:SMPI");
      break;
    case NetworkModel::Ib:
      options.emplace_back("--cfg=network/model:IB");
      break;
  }
  // The lazy update misses flows where two that share their first link begin after their latency at
  // the same moment (docs/decisions/0009); on the ideal network no latency passes in SimGrid.
  if (model != NetworkModel::Ideal) options.emplace_back("--cfg=network/optim:Full");
  return options;
}

Platform build_platform(const Topology& topology, NetworkModel model, double scale) {
  auto* zone = new FlatZone(topology, model);  // the engine deletes it
  Platform platform;
  platform.zone = zone->get_iface();
  platform.hosts.reserve(topology.size());
  for (std::size_t device = 0; device < topology.size(); ++device)
    platform.hosts.push_back(zone->add_host(device));
  for (std::size_t i = 0; i < topology.links().size(); ++i) {
    const Link& link = topology.links()[i];
    const double bandwidth = std::isinf(link.bandwidth.value) ? k_unlimited : link.bandwidth.value;
    zone->add_link(i, bandwidth * scale, link.latency);
  }
  zone->get_iface()->seal();
  return platform;
}

NetworkFactors effective_factors(NetworkModel model) {
  namespace config = simgrid::config;
  NetworkFactors factors;
  if (model == NetworkModel::Ideal) return factors;
  if (model == NetworkModel::Lv08) {
    // Applies to empty messages too.
    factors.latency = {{-1.0, config::get_value<double>("network/latency-factor")}};
    factors.bandwidth = {{-1.0, config::get_value<double>("network/bandwidth-factor")}};
  } else {
    factors.latency = parse_factors(config::get_value<std::string>("smpi/lat-factor"));
    factors.bandwidth = parse_factors(config::get_value<std::string>("smpi/bw-factor"));
  }
  factors.tcp_gamma_bytes = config::get_value<double>("network/TCP-gamma");
  factors.cross_traffic = config::get_value<bool>("network/crosstraffic");
  return factors;
}

}  // namespace pipegraph
