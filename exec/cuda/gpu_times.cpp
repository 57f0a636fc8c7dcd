#include "exec/cuda/gpu_times.h"

#include <fmt/format.h>

#include <utility>
#include <vector>

#include "core/base/errors.h"
#include "exec/cuda/cupti_times.h"

namespace pipegraph {

namespace {

class EventTimes final : public GpuTimes {
 public:
  explicit EventTimes(std::string reason) : reason_(std::move(reason)) {}
  WorkMarks* marks() override { return nullptr; }
  void begin() override {}
  void end(SteadyTime /*epoch*/, RunRecord& /*record*/) override {}
  std::string source() const override { return fmt::format("events ({})", reason_); }

 private:
  std::string reason_;
};

/// What keeps a rank from CUPTI, of the first that has something; empty: nothing.
std::string first_problem(const std::string& own, Ranks& ranks) {
  const std::vector<std::string> problems = ranks.all_gather(own);
  for (std::size_t rank = 0; rank < problems.size(); ++rank)
    if (!problems[rank].empty())
      return problems.size() == 1 ? problems[rank]
                                  : fmt::format("rank {}: {}", rank, problems[rank]);
  return {};
}

}  // namespace

std::unique_ptr<GpuTimes> make_gpu_times(const Program& program, GpuTimeSource wanted,
                                         Ranks& ranks) {
  if (wanted == GpuTimeSource::Events)
    return std::make_unique<EventTimes>("CUPTI was not asked for");
  std::unique_ptr<GpuTimes> times;
  std::string problem;
  try {
    times = make_cupti_times(program);
  } catch (const MachineError& error) {
    problem = error.what();
  }
  problem = first_problem(problem, ranks);
  if (problem.empty()) return times;
  if (wanted == GpuTimeSource::Cupti)
    throw MachineError(
        fmt::format("--gpu-times cupti: {}; --gpu-times events needs no CUPTI", problem));
  return std::make_unique<EventTimes>(problem);
}

}  // namespace pipegraph
