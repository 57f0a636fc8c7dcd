#include "exec/clock.h"

namespace pipegraph {
namespace {

class RealClock : public Clock {
 public:
  void begin(SteadyTime epoch, Tracing tracing) override {
    epoch_ = epoch;
    tracing_ = tracing;
  }
  Tracing tracing() const override { return tracing_; }
  Seconds ready(InstructionId /*id*/) override { return stamp(); }
  Seconds end(InstructionId /*id*/, Seconds /*start*/) override { return stamp(); }
  Seconds finish() override { return now(); }

 private:
  Seconds now() const { return std::chrono::steady_clock::now() - epoch_; }
  Seconds stamp() const { return tracing_ == Tracing::On ? now() : Seconds{0}; }

  SteadyTime epoch_;
  Tracing tracing_ = Tracing::Off;
};

}  // namespace

std::unique_ptr<Clock> make_real_clock() { return std::make_unique<RealClock>(); }

}  // namespace pipegraph
