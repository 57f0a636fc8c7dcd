// What a comparison looks like.
#include <fmt/format.h>

#include <cmath>
#include <nlohmann/json.hpp>

#include "apps/comparison.h"

namespace pipegraph {
namespace {

using Json = nlohmann::ordered_json;
using Align = TextTable::Align;

std::string percent(double error) {
  return std::isfinite(error) ? fmt::format("{:+.2f} %", 100.0 * error) : "";
}

std::string pair_name(const ComparedPlans& pair) {
  return pair.a.name == pair.b.name ? pair.a.name : pair.a.name + " : " + pair.b.name;
}

TextTable plans_table(const Comparison& comparison) {
  TextTable table({{"plan", Align::Left},
                   {"iteration A"},
                   {"iteration B"},
                   {"A/B - 1"},
                   {"samples/s A"},
                   {"samples/s B"},
                   {"joined by", Align::Left}});
  for (const ComparedPlans& pair : comparison.plans)
    table.add_row({pair_name(pair), to_text(*pair.a.iteration_time),
                   to_text(*pair.b.iteration_time), percent(pair.error()),
                   fmt::format("{:.5g}", pair.a.throughput_samples_per_s),
                   fmt::format("{:.5g}", pair.b.throughput_samples_per_s),
                   std::string(to_text(pair.timelines.level))});
  return table;
}

/// Sums of an iteration, for people.
std::string details_text(const ComparedPlans& pair) {
  TextTable table({{"part", Align::Left},
                   {"what", Align::Left},
                   {"count A"},
                   {"count B"},
                   {"A"},
                   {"B"},
                   {"A/B - 1"}});
  for (const ComparedTimes& row : pair.timelines.times)
    table.add_row({std::string(to_text(row.part)), row.what, fmt::format("{}", row.count_a),
                   fmt::format("{}", row.count_b), to_text(row.a), to_text(row.b),
                   row.count_a > 0 && row.count_b > 0 ? percent(signed_error(row.a, row.b)) : ""});
  const std::string joined =
      pair.timelines.level == JoinLevel::Instruction
          ? fmt::format("{} instructions one by one, mean absolute error of their times {:.2f} %",
                        pair.timelines.joined, 100.0 * pair.timelines.mean_absolute_error)
          : "sums by stage and pass, and by tensors";
  return fmt::format("\n{}: {}\n{}", pair_name(pair), joined, table.text());
}

std::string ranking_text(const Comparison& comparison) {
  if (comparison.plans.size() < 2) return {};
  const Ranking ranking = comparison.ranking();
  return fmt::format("ranking: {} of {} pairs right; {} of {} that differ by more than 5 % in B\n",
                     ranking.right, ranking.pairs, ranking.clear_right, ranking.clear_pairs);
}

std::string verdict_text(const Comparison& comparison) {
  std::string text = fmt::format("verdict: {}", to_text(comparison.verdict()));
  if (comparison.tolerance)
    text += fmt::format(" (tolerance {:g} %)", 100.0 * *comparison.tolerance);
  for (const ComparedPlans& pair : comparison.plans)
    if (!pair.no_verdict().empty())
      text += fmt::format("\n{}: {}", pair_name(pair), pair.no_verdict());
  return text + "\n";
}

/// Where no plan of A could be paired with one of B.
std::string nothing_text(const Comparison& comparison) {
  const auto names = [](const std::vector<std::string>& plans) {
    return plans.empty() ? std::string("no plan") : fmt::format("{}", fmt::join(plans, ", "));
  };
  return fmt::format(
      "nothing to compare: A has {}; B has {}. Plans are paired by name, if there are several.\n",
      names(comparison.names_a), names(comparison.names_b));
}

std::string table_text(const Comparison& comparison) {
  std::string text = fmt::format(
      "A: {}\nB: {}\n\n{}", comparison.folder_a, comparison.folder_b,
      comparison.plans.empty() ? nothing_text(comparison) : plans_table(comparison).text());
  for (const ComparedPlans& pair : comparison.plans)
    if (!pair.timelines.times.empty()) text += details_text(pair);
  text += "\n";
  for (const std::string& left_out : comparison.left_out)
    text += fmt::format("not compared: {}\n", left_out);
  return text + ranking_text(comparison) + verdict_text(comparison);
}

/// Every row of every plan; an iteration has one of its own.
std::string rows_csv(const Comparison& comparison) {
  TextTable table({{"plan_a", Align::Left},
                   {"plan_b", Align::Left},
                   {"part", Align::Left},
                   {"what", Align::Left},
                   {"count_a"},
                   {"count_b"},
                   {"a_s"},
                   {"b_s"},
                   {"error"}});
  const auto error = [](Seconds a, Seconds b) {
    const double value = signed_error(a, b);
    return std::isfinite(value) ? fmt::format("{}", value) : std::string();
  };
  for (const ComparedPlans& pair : comparison.plans) {
    const Seconds time_a = *pair.a.iteration_time, time_b = *pair.b.iteration_time;
    table.add_row({pair.a.name, pair.b.name, "iteration", "", "1", "1",
                   fmt::format("{}", time_a.count()), fmt::format("{}", time_b.count()),
                   error(time_a, time_b)});
    for (const ComparedTimes& row : pair.timelines.times)
      table.add_row({pair.a.name, pair.b.name, std::string(to_text(row.part)), row.what,
                     fmt::format("{}", row.count_a), fmt::format("{}", row.count_b),
                     fmt::format("{}", row.a.count()), fmt::format("{}", row.b.count()),
                     error(row.a, row.b)});
  }
  return table.csv();
}

Json finite(double value) { return std::isfinite(value) ? Json(value) : Json(); }

Json plan_json(const ComparedPlans& pair) {
  Json rows = Json::array();
  for (const ComparedTimes& row : pair.timelines.times)
    rows.push_back({{"part", to_text(row.part)},
                    {"what", row.what},
                    {"count_a", row.count_a},
                    {"count_b", row.count_b},
                    {"a_s", row.a.count()},
                    {"b_s", row.b.count()},
                    {"error", finite(signed_error(row.a, row.b))}});
  return {{"plan_a", pair.a.name},
          {"plan_b", pair.b.name},
          {"level", to_text(pair.timelines.level)},
          {"iteration_time_a_s", pair.a.iteration_time->count()},
          {"iteration_time_b_s", pair.b.iteration_time->count()},
          {"throughput_a_samples_per_s", pair.a.throughput_samples_per_s},
          {"throughput_b_samples_per_s", pair.b.throughput_samples_per_s},
          {"error", finite(pair.error())},
          {"joined_instructions", pair.timelines.joined},
          {"mean_absolute_error_of_instructions",
           pair.timelines.joined > 0 ? Json(pair.timelines.mean_absolute_error) : Json()},
          {"no_verdict", pair.no_verdict().empty() ? Json() : Json(pair.no_verdict())},
          {"times", rows}};
}

std::string comparison_json(const Comparison& comparison) {
  Json plans = Json::array();
  for (const ComparedPlans& pair : comparison.plans) plans.push_back(plan_json(pair));
  const Ranking ranking = comparison.ranking();
  const Json json{{"format", 1},
                  {"a", comparison.folder_a},
                  {"b", comparison.folder_b},
                  {"verdict", to_text(comparison.verdict())},
                  {"tolerance", comparison.tolerance ? Json(*comparison.tolerance) : Json()},
                  {"plans", plans},
                  {"not_compared", comparison.left_out},
                  {"ranking",
                   {{"pairs", ranking.pairs},
                    {"right", ranking.right},
                    {"clear_pairs", ranking.clear_pairs},
                    {"clear_right", ranking.clear_right}}}};
  return json.dump(1, ' ', false, Json::error_handler_t::replace) + "\n";
}

}  // namespace

std::string comparison_in(OutputFormat format, const Comparison& comparison) {
  if (format == OutputFormat::Json) return comparison_json(comparison);
  return format == OutputFormat::Csv ? rows_csv(comparison) : table_text(comparison);
}

}  // namespace pipegraph
