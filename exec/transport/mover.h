// Moves the data of messages where the host does not reach the devices' memory: copies are started
// and looked after, nobody waits for them.
#pragma once

#include <span>

#include "core/base/ids.h"
#include "exec/transport/channels.h"
#include "exec/transport/piece.h"
#include "exec/transport/transport.h"

namespace pipegraph {

/// The data of one message; both lists have as many bytes, and stay valid until it has arrived.
struct Move {
  ChannelId channel;
  DeviceId from, to;
  std::span<const Piece> source, target;
  InstructionId receive;  ///< the recv, or the all-reduce of which it is a part
};

/// Errors of any call: MachineError, which ends the run.
class Mover {
 public:
  virtual ~Mover() = default;

  /// `self` is about to post a half that carries data: what it has put in order before comes before
  /// the move. Thread of `self`.
  virtual void posting(DeviceId self) = 0;
  /// Starts to copy and returns. Thread of the receiver.
  virtual void begin(const Move& move) = 0;
  /// Whether the oldest move on a channel of the receiver has ended; after a yes, the next one is
  /// meant. Its thread.
  virtual bool ended(DeviceId receiver, ChannelId channel) = 0;
  /// When the move was under way for which the receiver heard the last yes; nothing if that was not
  /// measured. Its thread.
  virtual std::optional<MoveTimes> times(DeviceId /*receiver*/) const { return std::nullopt; }
};

}  // namespace pipegraph
