// `pipegraph list`: what there is to choose from, by name.
#include <fmt/format.h>

#include <array>
#include <filesystem>

#include "apps/exit_code.h"
#include "apps/installation.h"
#include "apps/text_table.h"
#include "apps/verb.h"
#include "core/collective/collective.h"
#include "core/planners/table.h"
#include "core/schedule/table.h"
#include "models/table.h"
#include "topologies/table.h"

namespace pipegraph {
namespace {

/// A name and what it is.
struct Entry {
  std::string name;
  std::string description;
};

template <class Table>
std::vector<Entry> entries_of(const Table& table) {
  std::vector<Entry> entries;
  for (const auto& row : table)
    entries.push_back({std::string(row.name), std::string(row.description)});
  return entries;
}

std::vector<Entry> planners() {
  std::vector<Entry> entries = entries_of(planner_table());
  entries.push_back({"manual", "the plan stands in the scenario: stages, devices, schedule"});
  return entries;
}

std::vector<Entry> schedules() { return entries_of(schedule_table()); }
std::vector<Entry> collectives() { return entries_of(collective_table()); }

std::vector<Entry> models() {
  std::vector<Entry> entries;
  for (const Family& family : families()) {
    entries.push_back({family.name, family.description});
    for (const FamilyParameter& parameter : family.parameters)
      entries.push_back({"  " + parameter.name, fmt::format("{} (default {})", parameter.meaning,
                                                            parameter.fallback_text())});
  }
  return entries;
}

/// Relative to the working directory where that is below it.
std::filesystem::path shortest(const std::filesystem::path& file) {
  std::error_code failed;
  const std::filesystem::path near = std::filesystem::proximate(file, failed);
  return failed || near.empty() || near.begin()->string() == ".." ? file : near;
}

std::vector<Entry> topologies() {
  std::vector<Entry> entries;
  for (const TopologyShape& shape : topology_shapes())
    entries.push_back({"shape: " + shape.name, shape.summary});
  for (const std::filesystem::path& file : files_with_extension(topologies_folder(), ".yaml"))
    entries.push_back({"file: " + shortest(file).string(), first_sentence(file)});
  return entries;
}

struct Subject {
  std::string_view name;
  std::vector<Entry> (*entries)();
};
constexpr std::array k_subjects{Subject{"planners", planners}, Subject{"models", models},
                                Subject{"topologies", topologies}, Subject{"schedules", schedules},
                                Subject{"collectives", collectives}};

TextTable table_of(const std::vector<Entry>& entries) {
  TextTable table({{"name", TextTable::Align::Left}, {"description", TextTable::Align::Left}});
  for (const Entry& entry : entries) table.add_row({entry.name, entry.description});
  return table;
}

}  // namespace

int run_list(Arguments arguments, const Console& console) {
  Options options(
      {.verb = "list",
       .synopsis = "planners|models|topologies|schedules|collectives [options]",
       .about = "Lists what scenarios can name.",
       .examples = "  pipegraph list models\n  pipegraph list planners --format json\n"});
  options.add_positional("WHAT");
  add_format(options);
  const auto values = options.parse(arguments, console);
  if (!values) return ExitDone;
  std::vector<std::string> names;
  for (const Subject& subject : k_subjects) names.emplace_back(subject.name);
  const std::size_t chosen = choice_of(*values, "WHAT", names);
  print_result(console, table_of(k_subjects[chosen].entries()).in(format_of(*values)));
  return ExitDone;
}

}  // namespace pipegraph
