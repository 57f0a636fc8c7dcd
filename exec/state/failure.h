// The first failure of a run. The first wins; everyone looks at it while waiting.
#pragma once

#include <atomic>
#include <cstdint>
#include <mutex>
#include <optional>
#include <string>
#include <utility>

#include "core/base/errors.h"
#include "core/base/ids.h"

namespace pipegraph {

/// Plain values, so that it can travel between processes.
struct Fault {
  std::int32_t rank = 0;
  DeviceId device;            ///< invalid: none in particular
  InstructionId instruction;  ///< invalid: none in particular
  std::string what;
};

/// A run that has failed somewhere.
class ExecutionError : public MachineError {
 public:
  ExecutionError(const std::string& text, Fault fault)
      : MachineError(text), fault_(std::move(fault)) {}
  const Fault& fault() const { return fault_; }

 private:
  Fault fault_;
};

class Failure {
 public:
  bool happened() const noexcept { return happened_.load(std::memory_order_acquire); }
  /// Keeps the first fault reported. Whether this one is it.
  bool report(Fault fault) noexcept;
  /// Only after happened().
  Fault first() const;

 private:
  std::atomic<bool> happened_{false};
  mutable std::mutex mutex_;
  std::optional<Fault> first_;
};

}  // namespace pipegraph
