#include "apps/execution.h"

#include <algorithm>
#include <utility>

#include "apps/gpu_flags.h"
#include "apps/one_process.h"
#include "apps/version.h"
#include "core/base/errors.h"
#include "core/program/text.h"
#include "exec/measure/watched_steps.h"
#include "exec/steps/losses.h"
#include "exec/training/crc32.h"
#include "exec/training/finite_losses.h"

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

/// One measurement, on this rank's devices.
class MeasuredRun {
 public:
  MeasuredRun(const DeviceContext& context, DeviceSet& devices, const ExecutionRequest& request)
      : context_(context),
        devices_(devices),
        request_(request),
        process_(context, devices, request),
        watch_(scheduling_reader(context, request)) {}

  /// Steps below 0 warm up.
  void step(std::int32_t step) {
    if (step < 0) {
      process_.executor().run_step(Tracing::Off);
      return look_at_losses();
    }
    untraced_.push_back(
        watch_.run([&] { return process_.executor().run_step(Tracing::Off); }).time);
    look_at_losses();
    if (request_.tracing == Tracing::Off) return;
    StepResult noted = watch_.run([&] { return process_.executor().run_step(Tracing::On); });
    look_at_losses();
    clock_bound_ = std::max(clock_bound_, noted.clock_bound);
    traced_.times.push_back(noted.time);
    traced_.records.push_back(std::move(*noted.record));
  }

  Executed executed() {
    Executed executed;
    executed.times = {
        .steps = request_.steps, .untraced = quartiles(untraced_), .clock_bound = clock_bound_};
    executed.notes = devices_.notes();
    executed.units = devices_.units();
    add_seen(watch_.seen(request_.job->ranks()), executed);
    note_clocks(executed);
    if (request_.tracing == Tracing::Off) return executed;
    executed.times.traced = quartiles(traced_.times);
    executed.times.source = devices_.time_source();
    auto outcome = conclude(context_.program, traced_.mean(*executed.times.traced));
    check(std::holds_alternative<Timeline>(outcome), "a step that ended has a complete record");
    executed.timeline = std::get<Timeline>(std::move(outcome));
    return executed;
  }

 private:
  /// A plan whose numbers are none takes other times than one that computes.
  void look_at_losses() {
    ++steps_;
    const TrainingDevices* const training = devices_.training();
    if (training == nullptr) return;
    check_finite(collect_losses(*training, request_.job->ranks()),
                 fmt::format("loss of step {} (warm-up and traced steps included)", steps_),
                 "what was computed is no measure of the plan; a training run with a smaller "
                 "--learning-rate tells whether the network can learn at all");
  }

  void note_clocks(Executed& executed) const {
    if (clock_bound_)
      executed.notes.push_back(
          fmt::format("ranks read different clocks: times in the timeline may be wrong by {}",
                      to_text(*clock_bound_)));
  }

  const DeviceContext& context_;
  DeviceSet& devices_;
  const ExecutionRequest& request_;
  OneProcess process_;
  StepWatch watch_;
  std::vector<Seconds> untraced_;
  TracedSteps traced_;
  std::optional<Seconds> clock_bound_;
  std::int64_t steps_ = 0;
};

/// A program as text, so that a difference can be named; a long one by its checksum.
std::string text_or_checksum(const Program& program) {
  constexpr std::size_t k_long = 200'000;
  if (program.size() <= k_long) return to_text(program);
  return fmt::format("{} instructions, checksum {}\n", program.size(),
                     crc32_text(crc32(to_text(program))));
}

}  // namespace

SchedulingReader scheduling_reader(const DeviceContext& context, const ExecutionRequest& request) {
  if (request.kind->computes == Computes::No) return [] { return SchedulingTotals{}; };
  return scheduling_of_devices(request.job->devices(context.program).size());
}

void add_seen(const StepsSeen& seen, Executed& executed) {
  MeasuredTimes& times = executed.times;
  times.disturbed = static_cast<std::int32_t>(seen.disturbed);
  times.disturbance = seen.total.known ? to_text(seen.total) : "";
  times.no_verdict = seen.no_verdict();
  if (seen.disturbed > 0)
    executed.notes.push_back(fmt::format("the machine did other things in {} of {} steps ({}): {}",
                                         seen.disturbed, seen.steps, to_text(seen.total),
                                         times.no_verdict.empty()
                                             ? "measure again if times vary"
                                             : "no verdict, these times prove nothing"));
}

std::unique_ptr<DeviceSet> make_devices(DeviceContext context, const ExecutionRequest& request) {
  context.gpus = request.gpus;
  context.issue = request.issue;
  context.tracing = request.tracing;
  context.ranks = &request.job->ranks();
  context.rank_of_device = request.job->rank_of_device(context.program);
  return request.kind->make(context);
}

void agree(const DeviceContext& context, const ExecutionRequest& request) {
  if (request.job->ranks().size() == 1) return;
  request.job->agree(
      "the program",
      fmt::format("{}backend {}{}\nsteps {} after {}, traced: {}, seed {}\n{}", version_text(),
                  request.kind->name, to_text(request.gpus), request.steps, request.warm_up,
                  request.tracing == Tracing::On ? "yes" : "no", context.seed,
                  text_or_checksum(context.program)));
}

Executed execute(const DeviceContext& context, const ExecutionRequest& request,
                 const std::function<void()>& stepped) {
  agree(context, request);
  const std::unique_ptr<DeviceSet> devices = make_devices(context, request);
  MeasuredRun run(context, *devices, request);
  for (std::int32_t step = -request.warm_up; step < request.steps; ++step) {
    run.step(step);
    stepped();
  }
  return run.executed();
}

}  // namespace pipegraph
