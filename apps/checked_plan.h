// A plan that is made ready once and then profiled and measured in turns, as `profile` and
// `crosscheck` do it.
#pragma once

#include <memory>
#include <string>

#include "apps/outcome.h"
#include "apps/plan_process.h"
#include "exec/measure/plan_profile.h"
#include "exec/measure/watched_steps.h"

namespace pipegraph {

class CheckedPlan {
 public:
  /// `outcome`, which has a program, and `setup` must outlive it. Errors: those of PlanProcess.
  CheckedPlan(const Outcome& outcome, const Setup& setup, const MeasuredDevices& devices);
  CheckedPlan(const CheckedPlan&) = delete;
  CheckedPlan& operator=(const CheckedPlan&) = delete;

  /// What does not count: first touches of memory, buffers filled.
  void warm_up();
  /// On cores: `rounds` undisturbed rounds of its passes alone, and as many of its all-reduces
  /// alone. On GPUs: as many steps for both, since the GPUs tell what passes take.
  void profile(int rounds);
  /// `steps` undisturbed steps that count, and half as many traced ones.
  void measure(int steps);

  const std::string& name() const { return outcome_.result.name; }
  std::size_t devices() const { return outcome_.result.shape->devices; }
  /// How many of them compute side by side.
  std::size_t units() const { return process_.units(); }

  /// Marked as disturbed if most of its rounds were.
  MeasuredPlan profiled() const;
  /// The outcome with the figures of what was measured, and the mean of the traced steps.
  Outcome measured() const;

 private:
  void profile_all_reduces(int rounds);
  bool emulated() const { return backend_ == MeasuredBackend::Emulated; }
  void profile_alone(int rounds);
  void profile_traced(int rounds);

  const Outcome& outcome_;
  const Setup& setup_;
  const Program& program_;
  MeasuredBackend backend_;
  PlanProcess process_;
  PassSamples samples_;
  WatchedSteps rounds_, reductions_, steps_, traced_;
};

}  // namespace pipegraph
