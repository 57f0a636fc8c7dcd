#include "topologies/fat_tree.h"

#include <fmt/format.h>

#include <array>
#include <cmath>
#include <string_view>

#include "core/base/errors.h"

namespace pipegraph {
namespace {

std::int64_t ceil_div(std::int64_t a, std::int64_t b) { return (a + b - 1) / b; }

/// Cables up of a switch with `down` cables down; nothing unless whole.
std::optional<std::int64_t> cables_up(std::int64_t down, double taper) {
  const double up = static_cast<double>(down) / taper;
  const double whole = std::round(up);
  if (whole < 1.0 || std::abs(up - whole) > 1e-9 * whole) return std::nullopt;
  return static_cast<std::int64_t>(whole);
}

std::optional<OptionProblem> find_problem(const char* what, std::int64_t down, double taper) {
  if (!(taper >= 1.0))
    return OptionProblem{"taper", fmt::format("{} is less than 1", taper),
                         "cables down over cables up"};
  if (cables_up(down, taper)) return std::nullopt;
  return OptionProblem{"taper",
                       fmt::format("{} cables down and a taper of {} leave a {} {} cables up", down,
                                   taper, what, static_cast<double>(down) / taper),
                       "a taper that gives a whole number of at least one"};
}

}  // namespace

std::optional<OptionProblem> find_problem(const FatTreeOptions& options) {
  if (auto problem = find_problem("leaf", options.ports_per_leaf, options.leaf_taper))
    return problem;
  if (options.leaves_per_pod > 0)
    return find_problem("spine", options.leaves_per_pod, options.spine_taper);
  if (options.spine_taper != 1.0)
    return OptionProblem{"taper", "there is no level above the spines to taper",
                         "one number, or leaves_per_pod for a third level"};
  return std::nullopt;
}

FatTree::FatTree(std::int64_t ports, const FatTreeOptions& options)
    : ports_(ports), rate_(options.cable) {
  check(ports > 0 && !find_problem(options), "a fat tree has ports and sound options");
  const std::int64_t leaves = ceil_div(ports, options.ports_per_leaf);
  const bool pods = options.leaves_per_pod > 0 && leaves > options.leaves_per_pod;
  down_ = {options.ports_per_leaf};
  if (leaves > 1) down_.push_back(pods ? options.leaves_per_pod : leaves);
  if (pods) down_.push_back(ceil_div(leaves, options.leaves_per_pod));

  const std::array<double, 2> taper{options.leaf_taper, options.spine_taper};
  std::int64_t span = 1;
  std::int64_t members = 1;
  std::int64_t links = 0;
  for (std::size_t level = 0; level < down_.size(); ++level) {
    span *= down_[level];
    span_.push_back(span);
    members_.push_back(members);
    up_.push_back(level + 1 < down_.size() ? cables_up(down_[level], taper.at(level)).value() : 0);
    first_link_.push_back(links);
    links += 2 * ceil_div(ports, span) * members * up_.back();
    members *= up_.back();
  }
  first_link_.push_back(links);
}

std::int64_t FatTree::cable(std::size_t level, std::int64_t group, std::int64_t member,
                            std::int64_t up) const {
  return first_link_[level] + 2 * ((group * members_[level] + member) * up_[level] + up);
}

std::string FatTree::switch_name(std::size_t level, std::int64_t group, std::int64_t member) const {
  static constexpr std::array<std::string_view, 3> k_names{"leaf", "spine", "core"};
  return fmt::format("{}{}", k_names.at(level), group * members_[level] + member);
}

std::string FatTree::switch_of(std::int64_t port) const {
  return switch_name(0, port / span_[0], 0);
}

std::vector<Link> FatTree::links() const {
  std::vector<Link> all;
  all.reserve(static_cast<std::size_t>(link_count()));
  for (std::size_t level = 0; level + 1 < levels(); ++level) {
    const std::int64_t groups = ceil_div(ports_, span_[level]);
    for (std::int64_t group = 0; group < groups; ++group)
      for (std::int64_t member = 0; member < members_[level]; ++member)
        for (std::int64_t up = 0; up < up_[level]; ++up) {
          const std::string below = switch_name(level, group, member);
          const std::string above =
              switch_name(level + 1, group / down_[level + 1], member + up * members_[level]);
          all.push_back({below + "->" + above, rate_.bandwidth, rate_.latency});
          all.push_back({above + "->" + below, rate_.bandwidth, rate_.latency});
        }
  }
  return all;
}

std::vector<std::int64_t> FatTree::route(std::int64_t from, std::int64_t to) const {
  std::vector<std::int64_t> crossed;
  std::vector<std::int64_t> descent;  // from the leaf upwards
  std::int64_t member = 0;
  for (std::size_t level = 0; from / span_[level] != to / span_[level]; ++level) {
    const std::int64_t up = to / members_[level] % up_[level];
    crossed.push_back(cable(level, from / span_[level], member, up));
    descent.push_back(cable(level, to / span_[level], member, up) + 1);
    member += up * members_[level];
  }
  crossed.insert(crossed.end(), descent.rbegin(), descent.rend());
  return crossed;
}

}  // namespace pipegraph
