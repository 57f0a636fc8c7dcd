// Drives a program through dispatchers and a backend, for all devices or for some.
#pragma once

#include <cstdint>
#include <span>
#include <variant>
#include <vector>

#include "core/program/program.h"
#include "core/run/backend.h"
#include "core/run/dispatcher.h"
#include "core/run/stuck.h"
#include "core/run/timeline.h"

namespace pipegraph {

/// One dispatcher that sees everything, or one per device that sees only its own completions. The
/// result is the same; simulators take the first, executors live with the second.
enum class Dispatching : std::uint8_t { OneForAll, OnePerDevice };

/// What a backend reported, by instruction id; NaN where nothing was reported.
struct RunRecord {
  std::vector<Seconds> start, end;
  explicit RunRecord(std::size_t instructions);
};

/// Runs until all instructions have completed or the backend has nothing in progress.
RunRecord drive(const Program& program, Backend& backend,
                Dispatching dispatching = Dispatching::OneForAll);
/// The same for the instructions of some devices.
RunRecord drive(const Program& program, Backend& backend, std::span<const DeviceId> devices);

/// The same for the instructions of a dispatcher, whose backend keeps what record it wants.
void drive(Dispatcher& dispatcher, Backend& backend);

/// The timeline of a record in which every instruction has completed, else what blocks the rest.
std::variant<Timeline, Stuck> conclude(const Program& program, RunRecord record);

/// drive, then conclude.
std::variant<Timeline, Stuck> run_program(const Program& program, Backend& backend,
                                          Dispatching dispatching = Dispatching::OneForAll);

}  // namespace pipegraph
