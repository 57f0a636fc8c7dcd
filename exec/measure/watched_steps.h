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
#include "exec/measure/step_watch.h"

namespace pipegraph {

class WatchedSteps {
 public:
  explicit WatchedSteps(SchedulingReader reader = [] { return scheduling_totals(); })
      : watch_(std::move(reader)) {}

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
  /// Of all steps, those that do not count included.
  StepsSeen seen() const { return watch_.seen(); }

 private:
  struct Record {
    RunRecord record;
    bool disturbed = false;
  };
  void keep(StepResult result);

  StepWatch watch_;
  std::vector<Seconds> kept_, discarded_;
  std::vector<Record> records_;
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
