// Why the makespan is as long as it is: a chain of intervals without gaps from time 0 to the end of
// the last instruction, each caused by the next one back.
#pragma once

#include <array>
#include <cstdint>
#include <map>
#include <string_view>
#include <vector>

#include "core/cluster/topology.h"
#include "core/report/program_index.h"
#include "core/run/timeline.h"

namespace pipegraph {

/// What an interval's time was spent on.
enum class PathCause : std::uint8_t {
  Work,        ///< computing, or moving bytes at the route's full rate; a collective as a whole
  Latency,     ///< of a transfer's route
  Contention,  ///< a transfer took longer than on idle links
  Wait,        ///< everything needed was there, yet it did not start (measured runs)
};
inline constexpr std::size_t k_path_causes = 4;
std::string_view to_text(PathCause cause);  ///< "work", "latency", "contention", "wait"

struct PathInterval {
  InstructionId instruction;  ///< of a transfer its send
  PathCause cause = PathCause::Work;
  Seconds start{0};
  Seconds end{0};
};

struct CriticalPath {
  std::vector<PathInterval> intervals;  ///< from 0 to the makespan
  std::array<Seconds, k_instruction_kinds> by_kind{};
  std::map<StageId, Seconds> by_stage;  ///< -1: reductions of tied parameters
  std::array<Seconds, k_path_causes> by_cause{};
};

/// An instruction was held up by whichever of the instructions it waits on, and of its lane's
/// previous one, ended last (of equals a dependency before the lane, then the lowest id); a
/// transfer by the half, a collective by the member that was ready last (of equals the first).
CriticalPath critical_path(const ProgramIndex& index, const Timeline& timeline,
                           const Topology& topology);

}  // namespace pipegraph
