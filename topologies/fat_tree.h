// Fat tree of two or three levels (leaf, spine, core), tapered or not: an extended generalised fat
// tree (Ohring et al., IPPS 1995) with destination-based routing (d-mod-k: Zahavi, JPDC 2012), so
// that traffic to different ports of a leaf takes different spines.
#pragma once

#include <optional>
#include <vector>

#include "topologies/fabric.h"
#include "topologies/link_rate.h"

namespace pipegraph {

struct FatTreeOptions {
  std::int64_t ports_per_leaf = 1;
  std::int64_t leaves_per_pod = 0;  ///< 0: two levels, every leaf sees every spine
  double leaf_taper = 1.0;          ///< cables down over cables up of a leaf
  double spine_taper = 1.0;         ///< the same of a spine; three levels only
  LinkRate cable;                   ///< between switches, per direction
};

/// What is wrong with `options`, if anything: cables up must come to a whole number of at least
/// one.
std::optional<OptionProblem> find_problem(const FatTreeOptions& options);

/// Ports fill the leaves in order. A leaf has one cable to each spine of its pod, a spine one to
/// each core switch of its position. Ports of one leaf meet at the leaf.
class FatTree : public Fabric {
 public:
  /// `options` without problem, ports positive.
  FatTree(std::int64_t ports, const FatTreeOptions& options);

  std::int64_t ports() const override { return ports_; }
  std::int64_t link_count() const override { return first_link_.back(); }
  std::vector<Link> links() const override;
  std::string switch_of(std::int64_t port) const override;
  std::vector<std::int64_t> route(std::int64_t from, std::int64_t to) const override;

 private:
  std::size_t levels() const { return down_.size(); }
  /// The link up (the link down is the next) from a switch of `level`, by position.
  std::int64_t cable(std::size_t level, std::int64_t group, std::int64_t member,
                     std::int64_t up) const;
  std::string switch_name(std::size_t level, std::int64_t group, std::int64_t member) const;

  std::int64_t ports_;
  LinkRate rate_;
  std::vector<std::int64_t> down_;        ///< children of a switch, by level
  std::vector<std::int64_t> span_;        ///< ports below a group of switches, by level
  std::vector<std::int64_t> members_;     ///< switches that span the same ports, by level
  std::vector<std::int64_t> up_;          ///< cables up of a switch, by level; 0 at the top
  std::vector<std::int64_t> first_link_;  ///< of the cables above a level; the last is the total
};

}  // namespace pipegraph
