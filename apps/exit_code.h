// What the process's exit code says.
#pragma once

#include <cstdint>

namespace pipegraph {

enum ExitCode : std::uint8_t {
  ExitDone = 0,
  ExitNo = 1,        ///< the answer is no: no plan is ok
  ExitBadInput = 2,  ///< ConfigError
  ExitFault = 3,     ///< a fault of the machine or of ours
};

}  // namespace pipegraph
