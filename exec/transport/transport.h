// Moves messages between devices, within a process or between processes. Messages of a channel
// match by the order in which they are posted; there are no tags.
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <span>
#include <string>

#include "core/base/ids.h"
#include "core/base/units.h"
#include "core/program/program.h"
#include "exec/state/failure.h"
#include "exec/transport/channels.h"
#include "exec/transport/piece.h"
#include "exec/transport/rank_quiescence.h"

namespace pipegraph {

enum class Half : std::uint8_t { Send, Recv };

/// One half of a message. `bytes` and `element_bytes` must be equal at both ends.
struct MessageHalf {
  ChannelId channel;
  Half half = Half::Send;
  std::uint8_t element_bytes = 4;
  InstructionId instruction;  ///< for error messages; several messages of an all-reduce share one
  std::uint32_t token = 0;    ///< returned with the arrival; the poster's business
  Bytes bytes;
  Seconds posted{0};  ///< travels to the other side
  /// `bytes` in all, or none at all: then only the message's existence and `posted` travel. Valid,
  /// and their memory unused by others, until the half has arrived.
  std::span<const Piece> pieces;
};

/// When data moved, as what moved it measured.
struct MoveTimes {
  Seconds start{0}, end{0};
};

/// A half that has completed: the receiver has the data, the sender knows it.
struct Arrival {
  InstructionId instruction;
  std::uint32_t token = 0;
  Half half = Half::Send;
  Seconds other_posted{0};                        ///< of the other side
  std::optional<MoveTimes> moved = std::nullopt;  ///< none: nobody measured
};

/// A vector that all members of a group add up.
struct GroupVector {
  InstructionId instruction;
  GroupId group;
  /// The own part, and the sum afterwards; as MessageHalf::pieces.
  std::span<const Piece> pieces;
};

/// Each device's calls come from its own thread, those of different devices at the same time.
/// Errors of any call: MachineError, which ends the run; messages that differ in bytes or element
/// size name device and instruction at both ends (see size_mismatch).
class Transport {
 public:
  virtual ~Transport() = default;

  /// Posts a half of device `self`; does not wait.
  virtual void post(DeviceId self, const MessageHalf& message) = 0;
  /// Halves of `self` that have completed since the last call, valid until the next call.
  virtual std::span<const Arrival> poll(DeviceId self) = 0;
  /// Sleeps until something may have arrived for `self`, until abort, or for `at_most`. Call it,
  /// and wait for quiet, only if the last poll returned nothing and `self` has posted nothing
  /// since.
  virtual void sleep(DeviceId self, Seconds at_most) = 0;
  /// Whether something is on its way to `self` whose arrival wakes nobody: sleep only briefly.
  virtual bool unannounced(DeviceId /*self*/) const { return false; }
  /// Whether nothing is on its way to `device`, and nobody outside this process could send it
  /// anything; asked by any thread while all devices of the process wait. False if not known.
  virtual bool quiet(DeviceId device) = 0;
  /// The same of messages within this process only.
  virtual bool quiet_inside(DeviceId device) { return quiet(device); }
  /// `look` tells what the devices of this process do, from any thread, for transports that find
  /// out with other processes whether all wait for each other. Null: no longer.
  virtual void watch(std::function<DevicesState()> /*look*/) {}  // NOLINT: who looks keeps it
  /// Whether transfers and all-reduces of a device have to begin one after another, in the order of
  /// the program.
  virtual bool in_program_order() const { return false; }
  /// Whether it adds up vectors of this group by itself, in an order of its own.
  virtual bool adds_up(GroupId /*group*/) const { return false; }
  /// Begins to add up, only if it can and once all members of the group are about to; an arrival of
  /// the instruction tells that the sum is there.
  virtual void add_up(DeviceId self, const GroupVector& vector);
  /// A device of this process has failed: wakes everyone, tells other processes. Any thread.
  virtual void abort(const Fault& fault) noexcept = 0;
};

/// "the message #3 send F0[0,4)>d1 on d0 has 8 bytes of 4 each, #7 recv ... on d1 expects ...".
std::string size_mismatch(const Program& program, const MessageHalf& sent,
                          const MessageHalf& expected);

}  // namespace pipegraph
