// A plan: stage graph, placement, micro-batch sizes and schedule, with what is needed to run it
// again and where it came from. Planner, simulator and executor share this and nothing else.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "core/stage/stage_graph.h"
#include "core/stage/workload.h"

namespace pipegraph {

/// The planner's own figure of merit; not comparable between planners.
struct Objective {
  std::string name;  ///< e.g. "max_time_per_sample_s"
  double value = 0.0;
  bool operator==(const Objective&) const = default;
};

/// How the plan was found; absent for manual plans.
struct SearchReport {
  Seconds time{0};
  std::optional<double> lower_bound_s;  ///< on the objective
  std::optional<double> gap;            ///< objective / lower bound - 1
  bool exact = false;                   ///< proved optimal in the stated class
  std::uint64_t states = 0;
  std::uint64_t cuts = 0;
  std::uint64_t probes = 0;
  std::string family;              ///< what was searched, e.g. "all ideals"
  bool truncated = false;          ///< a limit ended the search
  std::vector<std::string> notes;  ///< e.g. what was contracted or converted
  bool operator==(const SearchReport&) const = default;
};

struct Plan {
  std::string name;
  std::string planner = "manual";
  PlanKind kind = PlanKind::Graph;
  std::string schedule = "1f1b";
  std::int64_t extra_in_flight = 0;  ///< samples
  SkipTransfer skip_transfer = SkipTransfer::Direct;
  std::int32_t receive_slots = 0;  ///< per channel; 0 = as many as the sender has in flight
  std::vector<Stage> stages;
  std::vector<DeviceId> unused_devices;
  std::optional<Objective> objective;
  std::optional<SearchReport> search;
};

/// No plan exists: an expected "no".
struct Infeasible {
  std::string reason;
};

}  // namespace pipegraph
