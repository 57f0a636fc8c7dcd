// Simulates a program on a cluster with SimGrid: contention on every shared link. Each simulation
// runs in a child process of its own, so that neither SimGrid's state nor its aborts reach the
// caller.
#pragma once

#include <atomic>
#include <cstdint>
#include <variant>
#include <vector>

#include "core/base/units.h"
#include "core/cluster/topology.h"
#include "core/program/program.h"
#include "core/run/collective_schedules.h"
#include "core/run/run_program.h"
#include "sim/network_model.h"

namespace pipegraph {

/// A transfer whose links nothing else uses ends at a time known beforehand; LoneAsTimers leaves
/// such transfers to our own event queue until another one wants a link of theirs. Same times.
/// Models other than the ideal one always take AllAsFlows.
enum class TransferMode : std::uint8_t { LoneAsTimers, AllAsFlows };

struct SimulationOptions {
  NetworkModel network = NetworkModel::Ideal;
  TransferMode transfers = TransferMode::LoneAsTimers;
  CollectiveOptions collectives;
  Dispatching dispatching = Dispatching::OneForAll;
  /// Counts completed instructions while the child runs, if it lies in shared memory; may be null.
  std::atomic<std::uint64_t>* completed = nullptr;
};

/// How transfers and steps of collectives were carried.
struct FlowCounts {
  std::uint64_t timers = 0;     ///< alone from start to end
  std::uint64_t flows = 0;      ///< given to SimGrid at their start
  std::uint64_t converted = 0;  ///< begun alone, then given to SimGrid
  bool operator==(const FlowCounts&) const = default;
};

struct SimulationResult {
  std::variant<Timeline, Stuck> outcome;
  std::vector<double> link_bytes;  ///< carried, by link id
  NetworkFactors factors;          ///< of the network model
  FlowCounts counts;
  std::size_t instructions = 0;
  Seconds wall_time{0};
  Seconds cpu_time{0};  ///< of the child
  Bytes peak_memory;    ///< of the child, what it shares with its parent included
};

/// Deterministic to the last bit. The caller should have no threads. Errors: ConfigError for an
/// unknown collective or one that is too large; InternalError if the program does not fit the
/// topology or the simulation failed; MachineError if the child was killed (out of memory).
SimulationResult simulate(const Program& program, const Topology& topology,
                          const SimulationOptions& options = {});

}  // namespace pipegraph
