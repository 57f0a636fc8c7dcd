#include "apps/checked_plan.h"

#include <algorithm>
#include <utility>

#include "core/report/measured_times.h"

namespace pipegraph {
namespace {

constexpr int k_warm_up = 2;

/// Emulated devices' times do not depend on the machine.
SchedulingReader reader_for(MeasuredBackend backend, const Program& program) {
  if (backend == MeasuredBackend::Emulated) return [] { return SchedulingTotals{}; };
  return scheduling_of_devices(program.device_count());
}

PlanProcess::Plan plan_of(const Outcome& outcome, const Setup& setup) {
  const PreparedPlan& prepared = *outcome.prepared;
  return {.workload = setup.workload,
          .stages = prepared.stages,
          .program = *prepared.program,
          .collectives = evaluation_options(setup.scenario.simulation).collectives};
}

}  // namespace

CheckedPlan::CheckedPlan(const Outcome& outcome, const Setup& setup, const MeasuredDevices& devices)
    : outcome_(outcome),
      setup_(setup),
      program_(*outcome.prepared->program),
      backend_(devices.backend),
      process_(plan_of(outcome, setup), devices),
      samples_(program_),
      rounds_(reader_for(backend_, program_)),
      reductions_(reader_for(backend_, program_)),
      steps_(reader_for(backend_, program_)),
      traced_(reader_for(backend_, program_)) {}

void CheckedPlan::warm_up() {
  for (int i = 0; i < k_warm_up; ++i) process_.run_step(Tracing::Off);
  if (backend_ == MeasuredBackend::Cpu) run_passes_alone(process_.executor(), program_, 1);
}

void CheckedPlan::profile(int rounds) {
  switch (backend_) {
    case MeasuredBackend::Cpu:
      return profile_alone(rounds);
    case MeasuredBackend::Cuda:
      return profile_traced(rounds);
    case MeasuredBackend::Emulated:
      return profile_traced(1);
  }
}

void CheckedPlan::profile_traced(int rounds) {
  Durations last;
  const auto run = [&] {
    const StepResult step = process_.run_step(Tracing::On);
    last = durations_of(program_, *step.record);
    return StepResult{.time = step.time, .record = {}};
  };
  const auto add = [&] {
    samples_.add(last, PassSamples::Kinds::AllReduces);
    samples_.add(last, PassSamples::Kinds::Computes);
  };
  rounds_.run(rounds, run, add);
  if (rounds_.counted() == 0) add();
}

void CheckedPlan::profile_alone(int rounds) {
  process_.run_step(Tracing::Off);  // passes find in memory what a step leaves
  std::vector<Durations> last;
  const auto run = [&] {
    last = run_passes_alone(process_.executor(), program_, rounds);
    return StepResult{};
  };
  const auto add = [&] {
    for (const Durations& round : last) samples_.add(round, PassSamples::Kinds::Computes);
  };
  rounds_.run(1, run, add);
  // Better a profile of a disturbed machine than none; it is marked.
  if (rounds_.counted() == 0) add();
  profile_all_reduces(rounds);
}

void CheckedPlan::profile_all_reduces(int rounds) {
  if (!process_.reductions().any()) return;
  Durations last;
  const auto run = [&] {
    last = process_.reductions().run();
    return StepResult{};
  };
  const auto add = [&] { samples_.add(last, PassSamples::Kinds::AllReduces); };
  reductions_.run(rounds, run, add);
  if (reductions_.counted() == 0) add();
}

void CheckedPlan::measure(int steps) {
  steps_.run(steps, [&] { return process_.run_step(Tracing::Off); });
  traced_.run(std::max(1, steps / 2), [&] { return process_.run_step(Tracing::On); });
}

MeasuredPlan CheckedPlan::profiled() const {
  MeasuredPlan plan = samples_.measured(outcome_.result.program_hash, outcome_.result.name);
  const bool disturbed = !rounds_.seen().no_verdict().empty();
  for (MeasuredInstruction& measured : plan.instructions) measured.time.disturbed = disturbed;
  return plan;
}

Outcome CheckedPlan::measured() const {
  Outcome outcome;
  outcome.result = outcome_.result;
  outcome.plan = outcome_.plan;
  outcome.prepared = outcome_.prepared;
  auto concluded = conclude(program_, traced_.mean_record());
  outcome.timeline = std::get<Timeline>(std::move(concluded));
  add_run(outcome.result, report_of(outcome, setup_));
  const StepsSeen seen = steps_.seen();
  MeasuredTimes times{.steps = static_cast<std::int32_t>(steps_.times().size()),
                      .untraced = quartiles(steps_.times()),
                      .traced = quartiles(traced_.times()),
                      .discarded = static_cast<std::int32_t>(steps_.discarded()),
                      .disturbance = emulated() ? "" : to_text(seen.total),
                      .no_verdict = seen.no_verdict(),
                      .source = process_.time_source()};
  add_measured(outcome.result, times, setup_.workload.training.mini_batch);
  outcome.result.backend = to_text(backend_);
  outcome.result.oversubscribed = devices() > units();
  return outcome;
}

}  // namespace pipegraph
