// Computes of one device, and where its messages lie: the seam behind which the kinds of device
// stand. Everything that is not arithmetic (order, messages, failures, waiting) is the loop's.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <span>

#include "core/base/ids.h"
#include "core/base/units.h"
#include "core/run/backend.h"
#include "exec/clock.h"
#include "exec/transport/piece.h"

namespace pipegraph {

/// One of the vectors that an all-reduce adds up: the gradients of one use of the parameters on one
/// replica.
struct Addend {
  std::int32_t use = 0;  ///< addends of one use are added first, then the uses
  DeviceId device;
  std::span<const Piece> pieces;  ///< on `device` only, elsewhere empty
};

/// What an all-reduce does. All members list the same addends in the order of addition: uses
/// ascending, replicas of a use in index order.
struct GradientSum {
  std::span<const Addend> addends;  ///< empty: engines without data
  std::span<const Piece> sum;       ///< where the sum goes on this device; may be an addend
};

/// Made and called on its device's own thread, which is pinned where cores suffice. Between steps
/// other threads may look at it. Anything it throws ends the run on all devices, with the device
/// and the instruction named.
class Engine {
 public:
  virtual ~Engine() = default;

  /// Before the clock of step `step` (from 0) starts: what may be prepared outside of its time.
  virtual void begin_step(std::int64_t /*step*/) {}

  /// How many computes it may be given at a time that still wait for each other, since it performs
  /// them in the order given: at least 1. More spares the host's part between two computes.
  virtual std::size_t most_under_way() const { return 1; }
  /// Takes a compute (pass, optimizer) that is ready, or waits for nothing but computes taken
  /// before if there may be more than one; calls come in program order.
  virtual void start(InstructionId compute) = 0;
  /// What has completed since the last call, stamped by the device's clock; valid until the next
  /// call. A synchronous engine performs the oldest taken compute here. Empty: nothing yet.
  virtual std::span<const Completion> poll() = 0;

  /// What a send reads or a recv fills, in the payload's order; stays valid until the half has
  /// completed. Empty for a message that only orders, and on engines without data.
  virtual std::span<const Piece> pieces(InstructionId half) = 0;
  /// What an all-reduce adds up; stays valid until it has completed.
  virtual GradientSum reduced(InstructionId all_reduce) = 0;
  /// destination += source, as 32-bit floats; of equal length.
  virtual void add(Piece destination, Piece source) = 0;
  /// destination = source; of equal length.
  virtual void copy(Piece destination, Piece source) = 0;
  /// Memory in which all-reduces gather addends; lives as long as the engine.
  virtual Piece allocate(Bytes bytes) = 0;
};

/// Makes the engine of a device. `clock` outlives it and stamps its completions:
///   start = clock.ready(compute); ...the work...; end = clock.end(compute, start).
using EngineFactory = std::function<std::unique_ptr<Engine>(DeviceId device, Clock& clock)>;

}  // namespace pipegraph
