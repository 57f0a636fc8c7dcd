#include "apps/comparison.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <boost/program_options/value_semantic.hpp>
#include <cmath>

#include "apps/exit_code.h"
#include "core/base/errors.h"
#include "exec/training/model_identity.h"

namespace pipegraph {

namespace po = boost::program_options;

namespace {

constexpr double k_most_tolerance = 1e6;  ///< percent

TimelineComparison compare_timelines(const LoadedPlan& a, const LoadedPlan& b) {
  const auto left = load_timeline(a);
  const auto right = load_timeline(b);
  if (!left || !right) return {};
  const ComparedRun run_a{*left->workload.graph, *left->prepared.program, left->timeline};
  const ComparedRun run_b{*right->workload.graph, *right->prepared.program, right->timeline};
  const bool equal = !a.program_hash.empty() && a.program_hash == b.program_hash;
  return equal ? compare_equal(run_a, run_b) : compare_different(run_a, run_b);
}

/// Plans of the same name may be of other models. Empty if they are not, or nobody knows.
std::string difference_of_models(const LoadedPlan& a, const LoadedPlan& b) {
  if (!a.program_hash.empty() && a.program_hash == b.program_hash) return "";
  const auto model_a = load_model(a), model_b = load_model(b);
  if (!model_a || !model_b) return "";
  const auto lines_a = identity_of(*model_a).operators, lines_b = identity_of(*model_b).operators;
  for (std::size_t i = 0; i < std::min(lines_a.size(), lines_b.size()); ++i)
    if (lines_a[i] != lines_b[i])
      return fmt::format("A has the operator '{}' where B has '{}'", lines_a[i], lines_b[i]);
  if (lines_a.size() == lines_b.size()) return "";
  return fmt::format("A has {} operators, B {}", lines_a.size(), lines_b.size());
}

void add_pair(const LoadedPlan& a, const LoadedPlan& b, Comparison& comparison) {
  for (const LoadedPlan* plan : {&a, &b})
    if (!plan->iteration_time) {
      comparison.left_out.push_back(
          fmt::format("{}: {} in {}", plan->name, plan->status,
                      plan == &a ? comparison.folder_a : comparison.folder_b));
      return;
    }
  ComparedPlans pair{a, b, compare_timelines(a, b)};
  if (const std::string different = difference_of_models(a, b); !different.empty())
    pair.a.no_verdict = "the two sides are of different models: " + different;
  comparison.plans.push_back(std::move(pair));
}

const LoadedPlan* find_plan(const LoadedResults& results, const std::string& name) {
  const auto found = std::ranges::find(results.plans, name, &LoadedPlan::name);
  return found == results.plans.end() ? nullptr : &*found;
}

}  // namespace

std::string_view to_text(CompareVerdict verdict) {
  static constexpr std::array<std::string_view, 4> k_names{"compared", "within tolerance",
                                                           "out of tolerance", "no verdict"};
  return k_names.at(static_cast<std::size_t>(verdict));
}

CompareVerdict Comparison::verdict() const {
  const auto proves_nothing = [](const ComparedPlans& pair) { return !pair.no_verdict().empty(); };
  if (plans.empty() || std::ranges::any_of(plans, proves_nothing)) return CompareVerdict::NoVerdict;
  if (!tolerance) return CompareVerdict::None;
  const auto within = [this](const ComparedPlans& pair) {
    return std::abs(pair.error()) <= *tolerance;
  };
  return std::ranges::all_of(plans, within) ? CompareVerdict::WithinTolerance
                                            : CompareVerdict::OutOfTolerance;
}

Ranking Comparison::ranking() const {
  std::vector<Seconds> times_a, times_b;
  for (const ComparedPlans& pair : plans) {
    times_a.push_back(*pair.a.iteration_time);
    times_b.push_back(*pair.b.iteration_time);
  }
  return rank(times_a, times_b);
}

Comparison compare_results(const LoadedResults& a, const LoadedResults& b) {
  Comparison comparison{.folder_a = a.folder.string(), .folder_b = b.folder.string()};
  for (const LoadedPlan& plan : a.plans) comparison.names_a.push_back(plan.name);
  for (const LoadedPlan& plan : b.plans) comparison.names_b.push_back(plan.name);
  if (a.plans.size() == 1 && b.plans.size() == 1) {
    add_pair(a.plans.front(), b.plans.front(), comparison);
    return comparison;
  }
  for (const LoadedPlan& plan : a.plans) {
    const LoadedPlan* partner = find_plan(b, plan.name);
    if (partner != nullptr)
      add_pair(plan, *partner, comparison);
    else
      comparison.left_out.push_back(fmt::format("{}: not in {}", plan.name, comparison.folder_b));
  }
  for (const LoadedPlan& plan : b.plans)
    if (find_plan(a, plan.name) == nullptr)
      comparison.left_out.push_back(fmt::format("{}: not in {}", plan.name, comparison.folder_a));
  return comparison;
}

void add_tolerance(Options& options) {
  options.add()("tolerance", po::value<double>()->value_name("PERCENT"),
                "largest error of an iteration time that is accepted, 0 to 1e6");
}

std::optional<double> tolerance_of(const po::variables_map& values) {
  if (values.count("tolerance") == 0) return std::nullopt;
  const auto percent = values["tolerance"].as<double>();
  if (!(percent >= 0.0 && percent <= k_most_tolerance))
    throw ConfigError({.file = "--tolerance"}, fmt::format("{} is no tolerance", percent),
                      "percent, 0 to 1e6");
  return percent / 100.0;
}

int exit_code_of(CompareVerdict verdict) {
  const bool good = verdict == CompareVerdict::None || verdict == CompareVerdict::WithinTolerance;
  return good ? ExitDone : ExitNo;
}

}  // namespace pipegraph
