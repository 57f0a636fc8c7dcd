// What a transport is made of that stands on another one.
#pragma once

#include <cstdint>
#include <vector>

#include "core/program/program.h"
#include "exec/state/run_state.h"
#include "exec/transport/channels.h"
#include "exec/transport/ranks.h"
#include "exec/transport/transport.h"

namespace pipegraph {

/// All must outlive the transport.
struct TransportContext {
  const Program& program;
  const Channels& channels;
  RunState& state;
  Ranks& ranks;
  std::vector<std::int32_t> rank_of_device;
  Transport& inner;
  Seconds deadline{60};  ///< of each wait for other devices
};

}  // namespace pipegraph
