// Two results folders, plan by plan, and what is said of them.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "apps/loaded_results.h"
#include "apps/text_table.h"
#include "core/report/comparison.h"

namespace pipegraph {

/// Two plans that ran on both sides.
struct ComparedPlans {
  LoadedPlan a, b;
  TimelineComparison timelines;

  double error() const { return signed_error(*a.iteration_time, *b.iteration_time); }
  /// Why one side's figures prove nothing; empty if they do.
  const std::string& no_verdict() const {
    return a.no_verdict.empty() ? b.no_verdict : a.no_verdict;
  }
};

enum class CompareVerdict : std::uint8_t { None, WithinTolerance, OutOfTolerance, NoVerdict };
std::string_view to_text(CompareVerdict verdict);  ///< "compared", "within tolerance", ...

struct Comparison {
  std::string folder_a, folder_b;
  std::vector<ComparedPlans> plans;
  std::vector<std::string> names_a, names_b;  ///< of all plans that there are
  std::vector<std::string> left_out;          ///< plans without a partner that ran, and why
  std::optional<double> tolerance;            ///< on the absolute error of the iteration time

  /// NoVerdict if nothing could be compared, or one side of any pair proves nothing.
  CompareVerdict verdict() const;
  Ranking ranking() const;
};

/// Pairs the plans of two results by name; if both have a single one these two, whatever they are
/// called. Errors: ConfigError as load_timeline.
Comparison compare_results(const LoadedResults& a, const LoadedResults& b);

/// Adds `--tolerance PERCENT`.
void add_tolerance(Options& options);
/// As a fraction. Errors: ConfigError.
std::optional<double> tolerance_of(const boost::program_options::variables_map& values);
/// ExitNo out of the tolerance or without a verdict.
int exit_code_of(CompareVerdict verdict);

/// A table for people, a table of all rows as CSV, or JSON.
std::string comparison_in(OutputFormat format, const Comparison& comparison);

}  // namespace pipegraph
