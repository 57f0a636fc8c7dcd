// Steps of an executor that are measured while the machine is watched: those during which others
// used it do not count and are repeated.
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "core/run/run_program.h"
#include "exec/executor.h"
#include "exec/measure/disturbance.h"

namespace pipegraph {

/// How the scheduler's totals are read; tests bring their own.
using SchedulingReader = std::function<SchedulingTotals()>;

class WatchedSteps {
 public:
  explicit WatchedSteps(SchedulingReader reader = [] { return scheduling_totals(); })
      : reader_(std::move(reader)) {}

  /// Runs steps until `wanted` more were undisturbed, at most twice as many. `step` runs one;
  /// `counts`, if given, is called after each that counts.
  void run(
      int wanted, const std::function<StepResult()>& step,
      const std::function<void()>& counts = [] {});

  /// Times of what counted; of everything if nothing did.
  const std::vector<Seconds>& times() const { return kept_.empty() ? discarded_ : kept_; }
  std::size_t counted() const { return kept_.size(); }
  std::size_t discarded() const { return discarded_.size(); }
  /// Means over the traced steps that counted, of everything if nothing did; empty if no step was
  /// traced.
  RunRecord mean_record() const;
  bool traced() const { return !records_.empty(); }
  /// Over all steps, between them not included.
  const Disturbance& disturbance() const { return total_; }
  /// Why the times prove nothing: more steps were disturbed than not. Empty if they do.
  std::string no_verdict() const;

 private:
  struct Record {
    RunRecord record;
    bool disturbed = false;
  };
  void keep(StepResult result, const Disturbance& seen);

  SchedulingReader reader_;
  std::vector<Seconds> kept_, discarded_;
  std::vector<Record> records_;
  Disturbance total_;
  Seconds waited_{0}, scheduled_{0};
};

/// The mean of starts and ends, instruction by instruction, of steps of one program. Of equal
/// values it is that value, to the last bit.
class MeanRecord {
 public:
  void add(const RunRecord& record);
  bool empty() const { return !mean_; }
  /// Of one or more.
  const RunRecord& value() const { return *mean_; }

 private:
  std::optional<RunRecord> mean_;
  double count_ = 0.0;
};

/// Of one or more records.
RunRecord mean_record(const std::vector<const RunRecord*>& records);

}  // namespace pipegraph
