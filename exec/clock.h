// When instructions of one device start and end, in seconds from the start of the step: read off
// the machine, computed (virtual time), or not asked for at all (untraced steps).
#pragma once

#include <chrono>
#include <cstdint>
#include <functional>
#include <memory>

#include "core/base/ids.h"
#include "core/base/units.h"
#include "core/run/backend.h"

namespace pipegraph {

using SteadyTime = std::chrono::steady_clock::time_point;

/// Real clocks stamp nothing while untraced (all zeros), so that nothing stands in the way.
enum class Tracing : std::uint8_t { Off, On };

/// Used by its device's thread only.
class Clock {
 public:
  virtual ~Clock() = default;

  /// A step starts at `epoch`, the same moment for all devices.
  virtual void begin(SteadyTime epoch, Tracing tracing) = 0;
  /// Whether the step is stamped: engines that know more exactly when computes ran then measure it.
  virtual Tracing tracing() const { return Tracing::Off; }
  /// The moment at which `id` starts (a compute) or is posted (a half or member): all that it waits
  /// for has completed.
  virtual Seconds ready(InstructionId id) = 0;
  /// The moment at which `id`, which started at `start`, ends. It may lie ahead: then `id` counts
  /// as completed once reached(end).
  virtual Seconds end(InstructionId id, Seconds start) = 0;
  virtual bool reached(Seconds /*end*/) { return true; }
  /// How long to wait until reached(end).
  virtual Seconds until(Seconds /*end*/) { return Seconds{0}; }
  /// Told of each completion of the device, its own computes' included.
  virtual void completed(const Completion& /*done*/) {}
  /// When the device has completed its part of the step.
  virtual Seconds finish() = 0;
  /// Whether it reads the machine's clock.
  virtual bool of_machine() const { return true; }
};

/// One clock for each device.
using ClockFactory = std::function<std::unique_ptr<Clock>(DeviceId)>;

/// Real time.
std::unique_ptr<Clock> make_real_clock();

}  // namespace pipegraph
