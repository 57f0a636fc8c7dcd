#include "core/run/fluid_network.h"

#include <algorithm>
#include <cmath>
#include <limits>

namespace pipegraph {
namespace {

/// Rates closer than this (relative) are one bottleneck's.
constexpr double k_equal = 1e-12;

}  // namespace

FluidNetwork::FluidNetwork(const Topology& topology)
    : topology_(topology),
      routes_(topology),
      users_(topology.links().size()),
      link_seen_(topology.links().size(), 0),
      room_(topology.links().size(), 0.0),
      unfixed_(topology.links().size(), 0) {}

const std::vector<LinkId>& FluidNetwork::limited_links(DeviceId from, DeviceId to) {
  const auto key =
      (static_cast<std::uint64_t>(from.value) << 32) | static_cast<std::uint32_t>(to.value);
  const auto [place, added] = limited_.try_emplace(key);
  if (added)
    for (const LinkId link : routes_.between(from, to).route.links)
      if (!std::isinf(topology_.link(link).bandwidth.value)) place->second.push_back(link);
  return place->second;
}

void FluidNetwork::start(const FluidFlow& flow, double now) {
  if (free_.empty()) {
    free_.push_back(static_cast<std::uint32_t>(flows_.size()));
    flows_.emplace_back();
    flow_seen_.push_back(0);
  }
  const std::uint32_t number = free_.back();
  free_.pop_back();
  const RouteCost& cost = routes_.between(flow.from, flow.to);
  Flow& started = flows_[number];
  started.links = &limited_links(flow.from, flow.to);
  started.left = flow.bytes;
  started.lone_rate = cost.bandwidth.value;
  started.owner = flow.owner;
  started.moving = false;
  const double messages = 1.0 + flow.extra_latencies;
  events_.push({now + messages * topology_.latency(cost.route, flow.bytes / messages).count(),
                number, ++started.stamp});
}

double FluidNetwork::next() {
  while (!events_.empty() && flows_[events_.top().flow].stamp != events_.top().stamp) events_.pop();
  return events_.empty() ? std::numeric_limits<double>::infinity() : events_.top().at;
}

const std::vector<std::int32_t>& FluidNetwork::advance(double now) {
  ended_.clear();
  while (next() <= now) {
    const Event event = events_.top();
    events_.pop();
    if (flows_[event.flow].moving)
      end(event.flow, now);
    else
      begin_moving(event.flow, now);
  }
  return ended_;
}

void FluidNetwork::begin_moving(std::uint32_t number, double now) {
  Flow& flow = flows_[number];
  flow.moving = true;
  flow.since = now;
  flow.rate = 0.0;
  if (flow.left <= 0.0 || flow.links->empty()) {
    flow.rate = flow.lone_rate;
    return set_end(number, now);
  }
  bool alone = true;
  for (const LinkId link : *flow.links) {
    alone = alone && users_[link.index()].empty();
    users_[link.index()].push_back(number);
  }
  if (alone) {
    flow.rate = flow.lone_rate;
    return set_end(number, now);
  }
  collect(*flow.links);
  share(now);
}

void FluidNetwork::end(std::uint32_t number, double now) {
  Flow& flow = flows_[number];
  ended_.push_back(flow.owner);
  ++flow.stamp;
  free_.push_back(number);
  bool alone = true;
  for (const LinkId link : *flow.links) {
    std::erase(users_[link.index()], number);
    alone = alone && users_[link.index()].empty();
  }
  if (alone) return;
  collect(*flow.links);
  share(now);
}

/// The moving flows that `links` reach, through shared links of others too.
void FluidNetwork::collect(const std::vector<LinkId>& links) {
  flows_at_hand_.clear();
  links_at_hand_ = links;
  for (const LinkId link : links) link_seen_[link.index()] = 1;
  for (std::size_t i = 0; i < links_at_hand_.size(); ++i)
    for (const std::uint32_t number : users_[links_at_hand_[i].index()]) {
      if (flow_seen_[number] != 0) continue;
      flow_seen_[number] = 1;
      flows_at_hand_.push_back(number);
      for (const LinkId other : *flows_[number].links) {
        if (link_seen_[other.index()] != 0) continue;
        link_seen_[other.index()] = 1;
        links_at_hand_.push_back(other);
      }
    }
  for (const std::uint32_t number : flows_at_hand_) flow_seen_[number] = 0;
  for (const LinkId link : links_at_hand_) link_seen_[link.index()] = 0;
}

void FluidNetwork::set_end(std::uint32_t number, double now) {
  Flow& flow = flows_[number];
  events_.push({flow.left > 0.0 ? now + flow.left / flow.rate : now, number, ++flow.stamp});
}

void FluidNetwork::fix(std::uint32_t number, double rate) {
  flows_[number].rate = rate;
  for (const LinkId link : *flows_[number].links) {
    room_[link.index()] = std::max(0.0, room_[link.index()] - rate);
    --unfixed_[link.index()];
  }
}

/// Progressive filling: the link with the least room per flow fixes its flows, and so on.
void FluidNetwork::share(double now) {
  for (const LinkId link : links_at_hand_) {
    room_[link.index()] = topology_.link(link).bandwidth.value;
    unfixed_[link.index()] = static_cast<std::uint32_t>(users_[link.index()].size());
  }
  std::vector<std::uint32_t> open = flows_at_hand_;
  std::vector<double> before;
  for (const std::uint32_t number : open) {
    Flow& flow = flows_[number];
    flow.left = std::max(0.0, flow.left - (now - flow.since) * flow.rate);
    flow.since = now;
    before.push_back(flow.rate);
  }
  while (!open.empty()) {
    double least = std::numeric_limits<double>::infinity();
    for (const LinkId link : links_at_hand_)
      if (unfixed_[link.index()] > 0)
        least = std::min(least, room_[link.index()] / unfixed_[link.index()]);
    const auto limited = [&](std::uint32_t number) {
      return std::ranges::any_of(*flows_[number].links, [&](LinkId link) {
        return room_[link.index()] / unfixed_[link.index()] <= least * (1.0 + k_equal);
      });
    };
    const auto rest = std::ranges::partition(open, limited);
    const std::vector<std::uint32_t> fixed(open.begin(), rest.begin());
    for (const std::uint32_t number : fixed) fix(number, least);
    open.erase(open.begin(), rest.begin());
  }
  for (std::size_t i = 0; i < flows_at_hand_.size(); ++i)
    if (flows_[flows_at_hand_[i]].rate != before[i]) set_end(flows_at_hand_[i], now);
}

}  // namespace pipegraph
