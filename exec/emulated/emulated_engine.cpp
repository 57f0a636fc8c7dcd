#include "exec/emulated/emulated_engine.h"

#include <algorithm>
#include <vector>

#include "core/base/errors.h"

namespace pipegraph {
namespace {

class EmulatedEngine : public Engine {
 public:
  explicit EmulatedEngine(Clock& clock) : clock_(clock) {}

  void start(InstructionId compute) override { taken_.push_back(compute); }

  std::span<const Completion> poll() override {
    completed_.clear();
    for (InstructionId compute : taken_) {
      const Seconds start = clock_.ready(compute);
      completed_.push_back({compute, start, clock_.end(compute, start)});
    }
    taken_.clear();
    return completed_;
  }

  std::span<const Piece> pieces(InstructionId /*half*/) override { return {}; }
  GradientSum reduced(InstructionId /*all_reduce*/) override { return {}; }
  void add(Piece /*destination*/, Piece /*source*/) override { no_data(); }
  void copy(Piece /*destination*/, Piece /*source*/) override { no_data(); }
  Piece allocate(Bytes /*bytes*/) override { no_data(); }

 private:
  [[noreturn]] static void no_data() { throw InternalError("an emulated device has no data"); }

  Clock& clock_;
  std::vector<InstructionId> taken_;
  std::vector<Completion> completed_;
};

}  // namespace

EngineFactory emulated_engines() {
  return [](DeviceId, Clock& clock) { return std::make_unique<EmulatedEngine>(clock); };
}

}  // namespace pipegraph
