// Why a program cannot go on, told from what has completed alone.
#pragma once

#include <string>
#include <vector>

#include "core/program/program.h"

namespace pipegraph {

/// The program cannot go on: what each device's blocked instruction waits for.
struct Stuck {
  struct Blocked {
    InstructionId instruction;
    /// Instructions of its own device that have not completed; if there are none, the other half or
    /// the members that are not posted. Empty: nothing in the program would release it.
    std::vector<InstructionId> waits_for;
  };
  std::vector<Blocked> blocked;  ///< the first instruction left on each lane, by id
  std::size_t completed = 0;
  std::size_t total = 0;
  std::string text;  ///< the grid of devices with each one's current instruction
};

/// `completed` by instruction id; not all may be true.
Stuck explain_stuck(const Program& program, const std::vector<char>& completed);

}  // namespace pipegraph
