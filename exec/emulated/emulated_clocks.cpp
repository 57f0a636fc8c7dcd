#include "exec/emulated/emulated_clocks.h"

#include <algorithm>
#include <memory>
#include <utility>
#include <vector>

#include "exec/emulated/modelled_durations.h"

namespace pipegraph {
namespace {

/// Ends in virtual time; each device writes and reads those of its own instructions only.
struct VirtualTimes {
  explicit VirtualTimes(const Program& program)
      : end(program.size()), lane_end(program.lanes().size()) {}
  std::vector<Seconds> end;       ///< by instruction
  std::vector<Seconds> lane_end;  ///< by lane: of the instruction that completed last
};

class VirtualClock : public Clock {
 public:
  VirtualClock(DeviceId device, const Program& program, ModelledDurations durations,
               std::shared_ptr<VirtualTimes> times)
      : device_(device),
        program_(program),
        durations_(std::move(durations)),
        times_(std::move(times)) {}

  void begin(SteadyTime /*epoch*/, Tracing /*tracing*/) override {
    latest_ = Seconds{0};
    for (std::size_t lane = 0; lane < program_.lanes().size(); ++lane)
      if (program_.lanes()[lane].device == device_) times_->lane_end[lane] = Seconds{0};
  }
  Seconds ready(InstructionId id) override {
    Seconds latest = times_->lane_end[program_.at(id).lane.index()];
    for (InstructionId before : program_.waits_on(id))
      latest = std::max(latest, times_->end[before.index()]);
    return latest;
  }
  Seconds end(InstructionId id, Seconds start) override { return start + durations_.of(id); }
  void completed(const Completion& done) override {
    times_->end[done.instruction.index()] = done.end;
    times_->lane_end[program_.at(done.instruction).lane.index()] = done.end;
    latest_ = std::max(latest_, done.end);
  }
  Seconds finish() override { return latest_; }
  bool of_machine() const override { return false; }

 private:
  DeviceId device_;
  const Program& program_;
  ModelledDurations durations_;
  std::shared_ptr<VirtualTimes> times_;
  Seconds latest_{0};
};

/// Real time, in which instructions take as long as the model says.
class PacedClock : public Clock {
 public:
  explicit PacedClock(ModelledDurations durations) : durations_(std::move(durations)) {}

  void begin(SteadyTime epoch, Tracing /*tracing*/) override { epoch_ = epoch; }
  Seconds ready(InstructionId /*id*/) override { return now(); }
  Seconds end(InstructionId id, Seconds start) override { return start + durations_.of(id); }
  bool reached(Seconds end) override { return now() >= end; }
  Seconds until(Seconds end) override { return std::max(end - now(), Seconds{0}); }
  Seconds finish() override { return now(); }

 private:
  Seconds now() const { return std::chrono::steady_clock::now() - epoch_; }

  ModelledDurations durations_;
  SteadyTime epoch_;
};

}  // namespace

ClockFactory emulated_clocks(const Program& program, const Topology& topology,
                             const CollectiveOptions& collectives, EmulatedTime time) {
  const ModelledDurations durations(program, topology, collectives);
  const auto times =
      time == EmulatedTime::Virtual ? std::make_shared<VirtualTimes>(program) : nullptr;
  return [&program, durations, times](DeviceId device) -> std::unique_ptr<Clock> {
    if (times == nullptr) return std::make_unique<PacedClock>(durations);
    return std::make_unique<VirtualClock>(device, program, durations, times);
  };
}

}  // namespace pipegraph
