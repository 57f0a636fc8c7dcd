// A transport that behaves badly on purpose, around one that behaves well: to test that what must
// work does so on any network, and that what goes wrong is found and named.
#pragma once

#include <cstdint>
#include <memory>

#include "core/program/program.h"
#include "exec/options.h"
#include "exec/state/run_state.h"
#include "exec/transport/transport.h"

namespace pipegraph {

/// Many: each channel for itself. One: a device carries its transfers one after the other, in the
/// program's order. All-reduces are not held up.
enum class TransportLanes : std::uint8_t { Many, One };

struct Misbehaviour {
  /// Sends of fewer bytes complete without their receiver, as in eager protocols.
  Bytes eager_below{0};
  TransportLanes lanes = TransportLanes::Many;
  /// Each half is held back for up to so long, at random; halves of a channel keep their order.
  Seconds longest_delay{0};
  std::uint64_t seed = 0;
  InstructionId wrong_size;  ///< this half says that it has one byte more
  InstructionId dropped;     ///< this half is lost
  InstructionId killed;      ///< the device stops for good when it posts this half
  /// Not the transport's: ranks of one host take their clocks to be those of several.
  RankClocks clocks = RankClocks::AsFound;
};

/// All must outlive the result. Errors: ConfigError if an instruction of `misbehaviour` is no
/// message of `program`.
std::unique_ptr<Transport> make_misbehaving_transport(const Program& program, Transport& inner,
                                                      RunState& state,
                                                      const Misbehaviour& misbehaviour);

}  // namespace pipegraph
