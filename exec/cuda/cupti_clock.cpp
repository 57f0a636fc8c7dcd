#include "exec/cuda/cupti_clock.h"

#include "exec/cuda/cupti_library.h"

namespace pipegraph {

namespace {

constexpr int k_readings = 8;

CuptiClockReading read_once() {
  const SteadyTime before = std::chrono::steady_clock::now();
  CuptiClockReading reading;
  PIPEGRAPH_CUPTI(cupti().cuptiGetTimestamp(&reading.cupti_ns));
  const SteadyTime after = std::chrono::steady_clock::now();
  reading.host = before + (after - before) / 2;
  reading.bound = Seconds(after - before) / 2;
  return reading;
}

}  // namespace

CuptiClockReading read_cupti_clock() {
  CuptiClockReading best = read_once();
  for (int i = 1; i < k_readings; ++i) {
    const CuptiClockReading next = read_once();
    if (next.bound < best.bound) best = next;
  }
  return best;
}

}  // namespace pipegraph
