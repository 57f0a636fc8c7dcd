#include "apps/execution.h"

#include <utility>

#include "apps/one_process.h"
#include "apps/version.h"
#include "core/base/errors.h"
#include "core/program/text.h"
#include "exec/measure/watched_steps.h"
#include "exec/training/crc32.h"

namespace pipegraph {
namespace {

/// Keeps the traced steps until it is known which of them are ordinary.
struct TracedSteps {
  std::vector<Seconds> times;
  std::vector<RunRecord> records;

  /// Of the steps whose time lies between the quartiles.
  RunRecord mean(const Quartiles& quartiles) const {
    MeanRecord mean;
    for (std::size_t i = 0; i < times.size(); ++i)
      if (times[i] >= quartiles.lower && times[i] <= quartiles.upper) mean.add(records[i]);
    return mean.empty() ? records.front() : mean.value();
  }
};

/// A program as text, so that a difference can be named; a long one by its checksum.
std::string text_or_checksum(const Program& program) {
  constexpr std::size_t k_long = 200'000;
  if (program.size() <= k_long) return to_text(program);
  return fmt::format("{} instructions, checksum {}\n", program.size(),
                     crc32_text(crc32(to_text(program))));
}

}  // namespace

void agree(const DeviceContext& context, const ExecutionRequest& request) {
  if (request.job->ranks().size() == 1) return;
  request.job->agree("the program",
                     fmt::format("{}backend {}\nsteps {} after {}, traced: {}, seed {}\n{}",
                                 version_text(), request.kind->name, request.steps, request.warm_up,
                                 request.tracing == Tracing::On ? "yes" : "no", context.seed,
                                 text_or_checksum(context.program)));
}

Executed execute(const DeviceContext& context, const ExecutionRequest& request,
                 const std::function<void()>& stepped) {
  const std::unique_ptr<DeviceSet> devices = request.kind->make(context);
  agree(context, request);
  OneProcess process(context, *devices, request);
  std::vector<Seconds> untraced;
  TracedSteps traced;
  for (std::int32_t step = -request.warm_up; step < request.steps; ++step) {
    const StepResult plain = process.executor().run_step(Tracing::Off);
    if (step >= 0) untraced.push_back(plain.time);
    if (step >= 0 && request.tracing == Tracing::On) {
      StepResult noted = process.executor().run_step(Tracing::On);
      traced.times.push_back(noted.time);
      traced.records.push_back(std::move(*noted.record));
    }
    stepped();
  }
  Executed executed;
  executed.times = {.steps = request.steps, .untraced = quartiles(untraced), .traced = {}};
  executed.notes = devices->notes();
  if (request.tracing == Tracing::Off) return executed;
  executed.times.traced = quartiles(traced.times);
  auto outcome = conclude(context.program, traced.mean(*executed.times.traced));
  check(std::holds_alternative<Timeline>(outcome), "a step that ended has a complete record");
  executed.timeline = std::get<Timeline>(std::move(outcome));
  return executed;
}

}  // namespace pipegraph
