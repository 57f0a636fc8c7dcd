// When each instruction was ready, started and ended, in seconds from the start of the mini-batch.
// Simulated and measured timelines have this form and join on the instruction id.
#pragma once

#include <vector>

#include "core/base/ids.h"
#include "core/base/units.h"
#include "core/program/program.h"

namespace pipegraph {

struct Timeline {
  std::vector<Seconds> ready, start, end;  ///< by instruction id

  explicit Timeline(std::size_t instructions = 0)
      : ready(instructions), start(instructions), end(instructions) {}
  std::size_t size() const { return end.size(); }
  Seconds makespan() const;  ///< end of the last instruction; 0 if there is none
  bool operator==(const Timeline&) const = default;
};

/// The moment from which each instruction could have started as far as its own device is concerned:
/// the latest end of what it waits on and of the instruction before it on its lane; 0 without any.
std::vector<Seconds> ready_times(const Program& program, const std::vector<Seconds>& end);

}  // namespace pipegraph
