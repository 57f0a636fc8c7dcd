// The step lists of a program's all-reduces, made once per group and size.
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <utility>
#include <vector>

#include "core/cluster/topology.h"
#include "core/collective/collective.h"
#include "core/program/program.h"

namespace pipegraph {

/// Collectives by name from collective_table(); "auto" chooses by size.
struct CollectiveOptions {
  std::string algorithm = "auto";
};

/// What CollectiveSchedules would refuse later. Errors: ConfigError if there is no such algorithm,
/// or if it sends message by message and a group of the program is too large for that.
void check_collectives(const Program& program, const CollectiveOptions& options);

/// A step list with which steps wait for which, for carrying it out event by event.
struct CollectiveSchedule {
  StepList list;
  std::vector<std::uint32_t> dependent_begin;  ///< offsets into dependents, by step
  std::vector<std::int32_t> dependents;
  Seconds time{0};  ///< with links that nothing else uses
};

class CollectiveSchedules {
 public:
  /// `program` and `topology` must outlive this. Errors: those of check_collectives.
  CollectiveSchedules(const Program& program, const Topology& topology,
                      const CollectiveOptions& options);

  /// Of an all-reduce; valid as long as this.
  const CollectiveSchedule& of(const Instruction& all_reduce);

 private:
  const Program& program_;
  const Topology& topology_;
  const CollectiveEntry* entry_;
  std::map<std::pair<GroupId, Bytes>, CollectiveSchedule> schedules_;
};

}  // namespace pipegraph
