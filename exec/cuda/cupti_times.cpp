#include "exec/cuda/cupti_times.h"

#include <fmt/format.h>

#include <algorithm>
#include <vector>

#include "core/run/counterparts.h"
#include "exec/cuda/cupti_activity.h"
#include "exec/cuda/cupti_clock.h"

namespace pipegraph {

namespace {

/// Instructions by their marks; 0 is none.
std::uint64_t mark_of(InstructionId id) { return id.index() + 1; }
InstructionId marked(std::uint64_t mark) { return make_id<InstructionId>(mark - 1); }

class CuptiTimes final : public GpuTimes, public WorkMarks {
 public:
  explicit CuptiTimes(const Program& program)
      : program_(program), counterparts_(program), enqueued_(program.size()) {}

  WorkMarks* marks() override { return this; }

  void begin() override {
    activity_.enable();
    begun_ = read_cupti_clock();
  }

  void end(SteadyTime epoch, RunRecord& record) override {
    ++steps_;
    const CuptiClockReading ended = read_cupti_clock();
    const CuptiClockReading& clock = ended.bound < begun_.bound ? ended : begun_;
    const RecordedActivity recorded = activity_.take();
    bound_ = std::max(bound_, clock.bound);
    if (recorded.dropped + recorded.unstamped > 0) {
      lost_ += recorded.dropped + recorded.unstamped;
      ++steps_with_losses_;
      return;  // what is left of an instruction says nothing of the whole
    }
    for (const auto& [mark, interval] : recorded.by_mark)
      enter(marked(mark), epoch, clock, interval, record);
  }

  void begin(InstructionId id, Seconds now) override {
    enqueued_[id.index()] = now;
    CuptiActivity::push(mark_of(id));
  }
  void end() override { CuptiActivity::pop(); }

  Seconds clock_bound() const override { return bound_; }
  std::string source() const override {
    if (steps_ == 0) return "CUPTI activity";
    std::string text =
        fmt::format("CUPTI activity (on the host's clock to {:.2g} us)", bound_.count() * 1e6);
    if (steps_with_losses_ > 0)
      text += fmt::format(
          ", but {} of {} traced steps lost records, {} in all, and have those of "
          "events",
          steps_with_losses_, steps_, lost_);
    return text;
  }

 private:
  /// Copies for an all-reduce are only a part of it: it keeps the stamps of the host.
  void enter(InstructionId id, SteadyTime epoch, const CuptiClockReading& clock,
             const ActivityInterval& interval, RunRecord& record) {
    if (program_.at(id).kind == InstructionKind::AllReduce) return;
    // Nothing begins before it is enqueued, however well the clocks agree.
    const Seconds start =
        std::max(enqueued_[id.index()], Seconds(clock.host_time(interval.begin_ns) - epoch));
    const Seconds end = std::max(start, Seconds(clock.host_time(interval.end_ns) - epoch));
    set(id, start, end, record);
    if (is_transfer(program_.at(id).kind)) set(counterparts_.partner(id), start, end, record);
  }
  static void set(InstructionId id, Seconds start, Seconds end, RunRecord& record) {
    record.start[id.index()] = start;
    record.end[id.index()] = end;
  }

  const Program& program_;
  Counterparts counterparts_;
  CuptiActivity activity_;
  std::vector<Seconds> enqueued_;  ///< by instruction; each is written by its device's thread
  CuptiClockReading begun_;
  Seconds bound_{0};
  std::size_t steps_ = 0, steps_with_losses_ = 0, lost_ = 0;
};

}  // namespace

std::unique_ptr<GpuTimes> make_cupti_times(const Program& program) {
  return std::make_unique<CuptiTimes>(program);
}

}  // namespace pipegraph
