// A backend that counts what another one completes, for progress bars.
#pragma once

#include <atomic>
#include <cstdint>

#include "core/run/backend.h"

namespace pipegraph {

class CountingBackend : public Backend {
 public:
  /// Both must outlive this. The counter may lie in memory shared with another process.
  CountingBackend(Backend& counted, std::atomic<std::uint64_t>& completed)
      : counted_(counted), completed_(completed) {}

  void start(InstructionId instruction) override { counted_.start(instruction); }
  std::span<const Completion> wait() override {
    const std::span<const Completion> completions = counted_.wait();
    completed_.fetch_add(completions.size(), std::memory_order_relaxed);
    return completions;
  }

 private:
  Backend& counted_;
  std::atomic<std::uint64_t>& completed_;
};

}  // namespace pipegraph
