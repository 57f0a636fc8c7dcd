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

FlowNetwork::FlowNetwork(const Topology& topology, TimedEvents& events,
                         const FlowNetworkOptions& options)
    : topology_(topology),
      events_(events),
      options_(options),
      uses_(topology.links().size()),
      link_bytes_(topology.links().size(), 0.0) {}

void FlowNetwork::start(const FlowRequest& request, double now) {
  const std::uint32_t number = allocate(request, now);
  const Flow& flow = flows_[number];
  const bool whole = options_.mode == TransferMode::LoneAsTimers &&
                     options_.model == NetworkModel::Ideal && alone(flow, now);
  if (whole || flow.route->route.links.empty()) {
    begin_whole(number);
  } else if (flow.moves > now) {
    begin_latent(number);
  } else {
    begin_moving(number, now);
  }
}

const FlowNetwork::RouteUse& FlowNetwork::route(DeviceId from, DeviceId to) {
  const auto key =
      (static_cast<std::uint64_t>(from.value) << 32) | static_cast<std::uint32_t>(to.value);
  const auto [place, added] = routes_.try_emplace(key);
  RouteUse& use = place->second;
  if (!added) return use;
  use.route = topology_.route(from, to);
  use.bandwidth = topology_.bandwidth(use.route).value;
  for (LinkId link : use.route.links)
    if (!std::isinf(topology_.link(link).bandwidth.value)) use.limited.push_back(link);
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
  flow.moves = now + latency(flow);
  flow.end = now + (latency(flow) + request.bytes / flow.route->bandwidth);
  ++flow.stamp;
  return number;
}

/// Latency that passes outside SimGrid: all of it, except that models with factors of their own add
/// that of one message themselves.
double FlowNetwork::latency(const Flow& flow) {
  const double messages = 1.0 + flow.request.extra_latencies;
  if (options_.model == NetworkModel::Ideal)
    return messages * topology_.latency(flow.route->route, flow.request.bytes / messages).count();
  if (flow.request.extra_latencies <= 0.0) return 0.0;
  return flow.request.extra_latencies * flow.route->route.latency.count() *
         factor_at(engine().factors().latency, flow.request.bytes / messages);
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
    if (use.whole >= 0) {
      Flow& other = flows_[static_cast<std::size_t>(use.whole)];
      if (same_moment(now, other.end)) {
        leave_links(other);
        other.state = State::Parting;
      }
    }
    is_alone = is_alone && use.whole < 0 && use.shared == 0;
  }
  return is_alone;
}

void FlowNetwork::begin_latent(std::uint32_t number) {
  Flow& flow = flows_[number];
  flow.state = State::Latent;
  events_.push(
      {flow.moves, flow.start, static_cast<std::int32_t>(number), flow.stamp, TimedKind::Flow});
}

void FlowNetwork::begin_whole(std::uint32_t number) {
  Flow& flow = flows_[number];
  flow.state = State::Whole;
  for (LinkId link : loaded_links(flow))
    uses_[link.index()].whole = static_cast<std::int32_t>(number);
  events_.push(
      {flow.end, flow.start, static_cast<std::int32_t>(number), flow.stamp, TimedKind::Flow});
}

void FlowNetwork::begin_moving(std::uint32_t number, double now) {
  const Flow& flow = flows_[number];
  const bool ideal = options_.model == NetworkModel::Ideal;
  if (ideal && options_.mode == TransferMode::LoneAsTimers) {
    if (alone(flow, now)) return begin_whole(number);
    part_others(flow, now);
    if (alone(flow, now)) return begin_whole(number);  // the others have not begun to move
  }
  ++counts_.flows;
  move_to_engine(number, flow.request.bytes, now);
}

/// Whole flows on the links of one that begins to move give up being whole.
void FlowNetwork::part_others(const Flow& flow, double now) {
  for (LinkId link : loaded_links(flow)) {
    const std::int32_t whole = uses_[link.index()].whole;
    if (whole >= 0) part(static_cast<std::uint32_t>(whole), now);
  }
}

void FlowNetwork::part(std::uint32_t number, double now) {
  Flow& flow = flows_[number];
  leave_links(flow);
  ++flow.stamp;  // outdates its event
  if (flow.moves > now) return begin_latent(number);
  ++counts_.converted;
  const double moved = (now - flow.moves) * flow.route->bandwidth;
  move_to_engine(number, std::max(0.0, flow.request.bytes - moved), now);
}

void FlowNetwork::move_to_engine(std::uint32_t number, double bytes, double now) {
  Flow& flow = flows_[number];
  flow.state = State::Shared;
  for (LinkId link : loaded_links(flow)) ++uses_[link.index()].shared;
  if (engine().active() == 0) engine().idle_until(now);
  engine().start({flow.request.from, flow.request.to, bytes, number});
}

void FlowNetwork::leave_links(const Flow& flow) {
  for (LinkId link : loaded_links(flow)) {
    if (flow.state == State::Whole) uses_[link.index()].whole = -1;
    if (flow.state == State::Shared) --uses_[link.index()].shared;
  }
}

std::optional<EndedFlow> FlowNetwork::take(const TimedEvent& event, double now) {
  const auto number = static_cast<std::uint32_t>(event.subject);
  const Flow& flow = flows_[number];
  if (flow.stamp != event.stamp) return std::nullopt;
  if (flow.state == State::Latent) {
    begin_moving(number, now);
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
  for (LinkId link : flow.route->route.links) link_bytes_[link.index()] += flow.request.bytes;
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
