// Drives a program through a dispatcher and a backend, for all devices or for some.
#pragma once

#include <optional>
#include <span>
#include <string>
#include <variant>
#include <vector>

#include "core/program/program.h"
#include "core/run/backend.h"
#include "core/run/timeline.h"

namespace pipegraph {

/// The program cannot go on: what each device's blocked instruction waits for.
struct Stuck {
  struct Blocked {
    InstructionId instruction;
    std::vector<InstructionId> waits_for;  ///< own device's; or the other half / members not posted
  };
  std::vector<Blocked> blocked;  ///< per device the heads of its lanes, by id
  std::size_t completed = 0;
  std::size_t total = 0;
  std::string text;  ///< the grid of devices with each one's current instruction
};

/// Timeline of the given devices' instructions (others stay 0), or what blocks it.
std::variant<Timeline, Stuck> run_program(const Program& program, Backend& backend);
std::variant<Timeline, Stuck> run_program(const Program& program, Backend& backend,
                                          std::span<const DeviceId> devices);

}  // namespace pipegraph
