// An engine that computes for real: what training and tests ask of it between steps, whatever the
// device.
#pragma once

#include <span>

#include "exec/engine.h"
#include "exec/passes/device_passes.h"

namespace pipegraph {

class TrainingEngine : public Engine {
 public:
  virtual const DevicePasses& passes() const = 0;
  /// Copies out of or into the device's memory, between steps; of as many elements as the span has.
  virtual void read(Place from, std::span<float> into) const = 0;
  virtual void write(Place to, std::span<const float> from) = 0;
};

}  // namespace pipegraph
