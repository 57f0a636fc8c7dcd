#include "core/run/run_program.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <utility>

#include "core/base/errors.h"

namespace pipegraph {
namespace {

/// One or several dispatchers; completions go to the one that has the instruction.
class Dispatchers {
 public:
  Dispatchers(const Program& program, Dispatching dispatching) : program_(program) {
    if (dispatching == Dispatching::OneForAll) {
      all_.emplace_back(program);
      return;
    }
    all_.reserve(program.device_count());
    for (std::size_t device = 0; device < program.device_count(); ++device) {
      const auto only = make_id<DeviceId>(device);
      all_.emplace_back(program, std::span(&only, 1));
    }
  }
  Dispatchers(const Program& program, std::span<const DeviceId> devices) : program_(program) {
    all_.emplace_back(program, devices);
  }

  std::vector<InstructionId> initially_ready() const {
    std::vector<InstructionId> ready;
    for (const Dispatcher& dispatcher : all_) {
      const auto more = dispatcher.initially_ready();
      ready.insert(ready.end(), more.begin(), more.end());
    }
    std::ranges::sort(ready);
    return ready;
  }

  std::span<const InstructionId> complete(InstructionId done) {
    const std::size_t which = all_.size() == 1 ? 0 : program_.at(done).device.index();
    return all_[which].complete(done);
  }

  std::size_t remaining() const {
    std::size_t sum = 0;
    for (const Dispatcher& dispatcher : all_) sum += dispatcher.remaining();
    return sum;
  }

 private:
  const Program& program_;
  std::vector<Dispatcher> all_;
};

/// Starts what is ready and passes on what completes, until all has completed or nothing is in
/// progress. `driven` has the members of a Dispatcher; `note` sees each completion.
template <class Driven, class Note>
void drive_noting(Driven& driven, Backend& backend, Note note) {
  std::size_t remaining = driven.remaining();
  const auto initial = driven.initially_ready();
  std::vector<InstructionId> ready(initial.begin(), initial.end());
  while (remaining > 0) {
    for (InstructionId id : ready) backend.start(id);
    ready.clear();
    const std::span<const Completion> completions = backend.wait();
    if (completions.empty()) break;
    for (const Completion& done : completions) {
      note(done);
      const auto released = driven.complete(done.instruction);
      ready.insert(ready.end(), released.begin(), released.end());
    }
    remaining -= completions.size();
    if (completions.size() > 1) std::ranges::sort(ready);
  }
}

RunRecord drive_with(const Program& program, Backend& backend, Dispatchers dispatchers) {
  RunRecord record(program.size());
  drive_noting(dispatchers, backend, [&](const Completion& done) {
    record.start[done.instruction.index()] = done.start;
    record.end[done.instruction.index()] = done.end;
  });
  return record;
}

}  // namespace

RunRecord::RunRecord(std::size_t instructions)
    : start(instructions, Seconds{std::numeric_limits<double>::quiet_NaN()}), end(start) {}

RunRecord drive(const Program& program, Backend& backend, Dispatching dispatching) {
  return drive_with(program, backend, Dispatchers(program, dispatching));
}

RunRecord drive(const Program& program, Backend& backend, std::span<const DeviceId> devices) {
  return drive_with(program, backend, Dispatchers(program, devices));
}

void drive(Dispatcher& dispatcher, Backend& backend) {
  drive_noting(dispatcher, backend, [](const Completion&) {});
}

std::variant<Timeline, Stuck> conclude(const Program& program, RunRecord record) {
  check(record.end.size() == program.size(), "a record of this program");
  const auto missing = [](Seconds end) { return std::isnan(end.count()); };
  if (std::ranges::any_of(record.end, missing)) {
    std::vector<char> completed(program.size());
    for (std::size_t i = 0; i < completed.size(); ++i)
      completed[i] = missing(record.end[i]) ? 0 : 1;
    return explain_stuck(program, completed);
  }
  Timeline timeline;
  timeline.ready = ready_times(program, record.end);
  timeline.start = std::move(record.start);
  timeline.end = std::move(record.end);
  return timeline;
}

std::variant<Timeline, Stuck> run_program(const Program& program, Backend& backend,
                                          Dispatching dispatching) {
  return conclude(program, drive(program, backend, dispatching));
}

}  // namespace pipegraph
