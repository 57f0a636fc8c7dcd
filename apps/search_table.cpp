#include "apps/search_table.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "apps/text_table.h"

namespace pipegraph {
namespace {

std::string seconds(const std::optional<double>& value) {
  return value ? to_text(Seconds{*value}) : "";
}

/// All objectives are times, and their names say so: `max_time_per_sample_s`.
std::string without_unit(const std::string& name) {
  return name.ends_with("_s") ? name.substr(0, name.size() - 2) : name;
}

/// What is known of the value, rounded so that it still holds.
std::string verdict(const SearchReport& search) {
  if (search.truncated) return "cut short";
  if (search.exact) return "optimal";
  if (!search.gap || !std::isfinite(*search.gap)) return "";
  const double hundredths = std::max(1.0, std::ceil(*search.gap * 1e4 - 1e-6));  // of a percent
  return fmt::format("within {:g} %",
                     hundredths < 1000 ? hundredths / 100 : std::ceil(hundredths / 10) / 10);
}

/// Empty for planners that do not count what they look at.
std::string count_text(const SearchReport& search, std::uint64_t count) {
  return search.states + search.cuts + search.probes > 0 ? fmt::format("{}", count) : "";
}

std::vector<std::string> cells(const PlanResult& plan) {
  const SearchReport& search = *plan.search;
  return {plan.name,
          plan.objective ? without_unit(plan.objective->name) : "",
          plan.objective ? to_text(Seconds{plan.objective->value}) : "",
          seconds(search.lower_bound_s),
          verdict(search),
          plan.busiest_device ? to_text(*plan.busiest_device) : "",
          search.family,
          count_text(search, search.states),
          count_text(search, search.cuts),
          count_text(search, search.probes)};
}

}  // namespace

std::string search_text(const std::vector<PlanResult>& plans) {
  using Align = TextTable::Align;
  TextTable table({{"plan", Align::Left},
                   {"own objective", Align::Left},
                   {"value"},
                   {"lower bound"},
                   {"proved", Align::Left},
                   {"busiest device"},
                   {"searched", Align::Left},
                   {"states"},
                   {"cuts"},
                   {"probes"}});
  bool any = false;
  for (const PlanResult& plan : plans) {
    if (!plan.search) continue;
    any = true;
    table.add_row(cells(plan));
  }
  return any ? table.text() : "";
}

}  // namespace pipegraph
