// Dragonfly (Kim et al., ISCA 2008): groups of fully connected switches, one cable between any two
// groups, minimal routing: at most one local, one global and one local hop.
#pragma once

#include <optional>

#include "topologies/fabric.h"
#include "topologies/link_rate.h"

namespace pipegraph {

struct DragonflyOptions {
  std::int64_t ports_per_switch = 1;
  std::int64_t switches_per_group = 1;
  std::int64_t global_cables_per_switch = 1;
  LinkRate local;   ///< between switches of a group, per direction
  LinkRate global;  ///< between groups, per direction
};

/// What is wrong with `options` for so many ports, if anything: groups must not outnumber what the
/// global cables of a group can reach.
std::optional<OptionProblem> find_problem(const DragonflyOptions& options, std::int64_t ports);

/// Ports fill switches, switches fill groups, in order. The cable from group i to group j starts at
/// the switch of position (j - i - 1 mod groups) mod switches_per_group of group i.
class Dragonfly : public Fabric {
 public:
  Dragonfly(std::int64_t ports, const DragonflyOptions& options);

  std::int64_t ports() const override { return ports_; }
  std::int64_t link_count() const override { return local_links() + groups_ * (groups_ - 1); }
  std::vector<Link> links() const override;
  std::string switch_of(std::int64_t port) const override;
  std::vector<std::int64_t> route(std::int64_t from, std::int64_t to) const override;
  std::int64_t groups() const { return groups_; }

 private:
  std::int64_t local_links() const { return groups_ * width_ * (width_ - 1); }
  /// Link between two positions of a group.
  std::int64_t local_link(std::int64_t group, std::int64_t from, std::int64_t to) const;
  std::int64_t global_link(std::int64_t from_group, std::int64_t to_group) const;
  /// Position, in `group`, of the switch with the cable to `other`.
  std::int64_t gateway(std::int64_t group, std::int64_t other) const;
  std::int64_t cable(std::int64_t group, std::int64_t other) const;
  std::string name(std::int64_t group, std::int64_t position) const;

  std::int64_t ports_;
  DragonflyOptions options_;
  std::int64_t width_;
  std::int64_t groups_;
};

}  // namespace pipegraph
