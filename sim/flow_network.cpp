#include "sim/flow_network.h"

#include <algorithm>
#include <cmath>
#include <limits>

#include "core/base/errors.h"

namespace pipegraph {
namespace {

/// Two moments this close are one: SimGrid's own precision, or the clock's last bits.
bool same_moment(double earlier, double later) {
  return later - earlier <= std::max(1e-12, 4 * std::numeric_limits<double>::epsilon() * later);
}

}  // namespace

FlowNetwork::FlowNetwork(const Topology& topology, EventQueue& events,
                         const FlowNetworkOptions& options)
    : topology_(topology),
      events_(events),
      options_(options),
      uses_(topology.links().size()),
      link_bytes_(topology.links().size(), 0.0) {}

void FlowNetwork::start(const FlowRequest& request, double now) {
  const std::uint32_t number = allocate(request, now);
  const Flow& flow = flows_[number];
  if (flow.route->links.empty()) {
    begin_lone(number);
  } else if (options_.model != NetworkModel::Ideal && request.extra_latencies > 0.0) {
    begin_delayed(number);
  } else if (options_.model != NetworkModel::Ideal || options_.mode == TransferMode::AllAsFlows) {
    begin_shared(number, now);
  } else if (alone(flow, now)) {
    begin_lone(number);
  } else {
    convert_others(flow, now);
    begin_shared(number, now);
  }
}

const FlowNetwork::RouteUse& FlowNetwork::route(DeviceId from, DeviceId to) {
  const auto key =
      (static_cast<std::uint64_t>(from.value) << 32) | static_cast<std::uint32_t>(to.value);
  const auto [place, added] = routes_.try_emplace(key);
  RouteUse& use = place->second;
  if (!added) return use;
  Route found = topology_.route(from, to);
  use.latency = found.latency.count();
  use.bandwidth = topology_.bandwidth(found).value;
  for (LinkId link : found.links)
    if (!std::isinf(topology_.link(link).bandwidth.value)) use.limited.push_back(link);
  use.links = std::move(found.links);
  return use;
}

std::uint32_t FlowNetwork::allocate(const FlowRequest& request, double now) {
  if (free_.empty()) {
    free_.push_back(static_cast<std::uint32_t>(flows_.size()));
    flows_.emplace_back();
  }
  const std::uint32_t number = free_.back();
  free_.pop_back();
  Flow& flow = flows_[number];
  flow.route = &route(request.from, request.to);
  flow.request = request;
  flow.start = now;
  flow.latency = flow.route->latency * (1.0 + request.extra_latencies);
  ++flow.stamp;
  return number;
}

/// Links on which others would notice the flow.
std::span<const LinkId> FlowNetwork::loaded_links(const Flow& flow) const {
  if (flow.request.bytes <= 0.0) return {};
  return flow.route->limited;
}

bool FlowNetwork::alone(const Flow& flow, double now) {
  bool is_alone = true;
  for (LinkId link : loaded_links(flow)) {
    const LinkUse& use = uses_[link.index()];
    if (use.lone >= 0) {
      Flow& other = flows_[static_cast<std::size_t>(use.lone)];
      if (same_moment(now, other.end)) {
        leave_links(other);
        other.state = State::Parting;
      }
    }
    is_alone = is_alone && use.lone < 0 && use.shared == 0;
  }
  return is_alone;
}

void FlowNetwork::begin_delayed(std::uint32_t number) {
  Flow& flow = flows_[number];
  const double message = flow.request.bytes / (1.0 + flow.request.extra_latencies);
  flow.state = State::Delayed;
  flow.end = flow.start + flow.request.extra_latencies * flow.route->latency *
                              factor_at(engine().factors().latency, message);
  push_event(number);
}

void FlowNetwork::begin_lone(std::uint32_t number) {
  Flow& flow = flows_[number];
  flow.state = State::Lone;
  flow.end = flow.start + (flow.latency + flow.request.bytes / flow.route->bandwidth);
  for (LinkId link : loaded_links(flow))
    uses_[link.index()].lone = static_cast<std::int32_t>(number);
  push_event(number);
}

void FlowNetwork::begin_shared(std::uint32_t number, double now) {
  ++counts_.flows;
  start_in_engine(number, {flows_[number].latency, flows_[number].request.bytes}, now);
}

void FlowNetwork::convert_others(const Flow& flow, double now) {
  for (LinkId link : loaded_links(flow)) {
    const std::int32_t lone = uses_[link.index()].lone;
    if (lone >= 0) convert(static_cast<std::uint32_t>(lone), now);
  }
}

void FlowNetwork::convert(std::uint32_t number, double now) {
  ++counts_.converted;
  Flow& flow = flows_[number];
  leave_links(flow);
  ++flow.stamp;  // outdates its event
  const double elapsed = now - flow.start;
  const double moving = std::max(0.0, elapsed - flow.latency);
  start_in_engine(number,
                  {std::max(0.0, flow.latency - elapsed),
                   std::max(0.0, flow.request.bytes - moving * flow.route->bandwidth)},
                  now);
}

void FlowNetwork::start_in_engine(std::uint32_t number, const Remaining& remaining, double now) {
  Flow& flow = flows_[number];
  flow.state = State::Shared;
  for (LinkId link : loaded_links(flow)) ++uses_[link.index()].shared;
  if (engine().active() == 0) engine().idle_until(now);
  engine().start(
      {flow.request.from, flow.request.to, remaining.bytes, Seconds{remaining.latency}, number});
}

void FlowNetwork::push_event(std::uint32_t number) {
  const Flow& flow = flows_[number];
  events_.push(
      {flow.end, flow.start, static_cast<std::int32_t>(number), flow.stamp, EventKind::Flow});
}

void FlowNetwork::leave_links(const Flow& flow) {
  for (LinkId link : loaded_links(flow)) {
    if (flow.state == State::Lone) uses_[link.index()].lone = -1;
    if (flow.state == State::Shared) --uses_[link.index()].shared;
  }
}

std::optional<EndedFlow> FlowNetwork::take(const Event& event, double now) {
  const auto number = static_cast<std::uint32_t>(event.subject);
  const Flow& flow = flows_[number];
  if (flow.stamp != event.stamp) return std::nullopt;
  if (flow.state == State::Delayed) {
    begin_shared(number, now);
    return std::nullopt;
  }
  ++counts_.timers;
  return finish(number);
}

double FlowNetwork::advance(double date) {
  check(shared(), "SimGrid has a flow to advance");
  ended_.clear();
  for (std::uint32_t number : engine_->advance(date)) ended_.push_back(finish(number));
  return engine_->clock();
}

EndedFlow FlowNetwork::finish(std::uint32_t number) {
  Flow& flow = flows_[number];
  leave_links(flow);
  for (LinkId link : flow.route->links) link_bytes_[link.index()] += flow.request.bytes;
  flow.state = State::Free;
  ++flow.stamp;
  free_.push_back(number);
  return {flow.request.owner, flow.start};
}

NetworkFactors FlowNetwork::factors() {
  return options_.model == NetworkModel::Ideal ? NetworkFactors{} : engine().factors();
}

FlowEngine& FlowNetwork::engine() {
  if (!engine_) engine_.emplace(topology_, options_.model, options_.largest_bytes);
  return *engine_;
}

}  // namespace pipegraph
