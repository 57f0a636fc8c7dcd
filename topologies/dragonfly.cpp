#include "topologies/dragonfly.h"

#include <fmt/format.h>

#include "core/base/errors.h"

namespace pipegraph {
namespace {

std::int64_t groups_for(const DragonflyOptions& options, std::int64_t ports) {
  const std::int64_t per_group = options.ports_per_switch * options.switches_per_group;
  return (ports + per_group - 1) / per_group;
}

}  // namespace

std::optional<OptionProblem> find_problem(const DragonflyOptions& options, std::int64_t ports) {
  const std::int64_t groups = groups_for(options, ports);
  const std::int64_t reach = options.switches_per_group * options.global_cables_per_switch;
  if (groups - 1 <= reach) return std::nullopt;
  return OptionProblem{
      "global_cables_per_switch",
      fmt::format("{} ports make {} groups, but a group has cables to only {} others", ports,
                  groups, reach),
      "more ports or switches in a group, or more global cables"};
}

Dragonfly::Dragonfly(std::int64_t ports, const DragonflyOptions& options)
    : ports_(ports),
      options_(options),
      width_(options.switches_per_group),
      groups_(groups_for(options, ports)) {
  check(ports > 0 && !find_problem(options, ports), "a dragonfly has ports and sound options");
}

std::int64_t Dragonfly::local_link(std::int64_t group, std::int64_t from, std::int64_t to) const {
  return (group * width_ + from) * (width_ - 1) + (to < from ? to : to - 1);
}

std::int64_t Dragonfly::cable(std::int64_t group, std::int64_t other) const {
  return (other - group - 1 + groups_) % groups_;
}

std::int64_t Dragonfly::gateway(std::int64_t group, std::int64_t other) const {
  return cable(group, other) % width_;
}

std::int64_t Dragonfly::global_link(std::int64_t from_group, std::int64_t to_group) const {
  return local_links() + from_group * (groups_ - 1) + cable(from_group, to_group);
}

std::string Dragonfly::name(std::int64_t group, std::int64_t position) const {
  return fmt::format("group{}.switch{}", group, position);
}

std::string Dragonfly::switch_of(std::int64_t port) const {
  const std::int64_t index = port / options_.ports_per_switch;
  return name(index / width_, index % width_);
}

std::vector<Link> Dragonfly::links() const {
  std::vector<Link> all(static_cast<std::size_t>(link_count()));
  const auto set = [&all](std::int64_t id, const std::string& from, const std::string& to,
                          const LinkRate& rate) {
    all[static_cast<std::size_t>(id)] = {from + "->" + to, rate.bandwidth, rate.latency};
  };
  for (std::int64_t group = 0; group < groups_; ++group) {
    for (std::int64_t from = 0; from < width_; ++from)
      for (std::int64_t to = 0; to < width_; ++to)
        if (from != to)
          set(local_link(group, from, to), name(group, from), name(group, to), options_.local);
    for (std::int64_t other = 0; other < groups_; ++other)
      if (other != group)
        set(global_link(group, other), name(group, gateway(group, other)),
            name(other, gateway(other, group)), options_.global);
  }
  return all;
}

std::vector<std::int64_t> Dragonfly::route(std::int64_t from, std::int64_t to) const {
  const std::int64_t source = from / options_.ports_per_switch;
  const std::int64_t target = to / options_.ports_per_switch;
  const std::int64_t source_group = source / width_;
  const std::int64_t target_group = target / width_;
  std::vector<std::int64_t> crossed;
  std::int64_t position = source % width_;
  if (source_group != target_group) {
    const std::int64_t exit = gateway(source_group, target_group);
    if (position != exit) crossed.push_back(local_link(source_group, position, exit));
    crossed.push_back(global_link(source_group, target_group));
    position = gateway(target_group, source_group);
  }
  if (position != target % width_)
    crossed.push_back(local_link(target_group, position, target % width_));
  return crossed;
}

}  // namespace pipegraph
