// `pipegraph show`: every intermediate result of the data flow as text.
#include <array>
#include <boost/program_options/value_semantic.hpp>
#include <nlohmann/json.hpp>

#include "apps/exit_code.h"
#include "apps/sample_counts.h"
#include "apps/show_texts.h"
#include "apps/verb.h"
#include "core/plan/plan_file.h"
#include "core/program/text.h"
#include "core/report/window.h"

namespace pipegraph {
namespace {

namespace po = boost::program_options;

/// What a subject is shown from.
struct Context {
  const Setup& setup;
  const po::variables_map& values;
  const Console& console;
  OutputFormat format;
};

constexpr std::size_t k_routes_shown = 16;

std::string show_graph(const Context& context) {
  return graph_table(*context.setup.workload.graph).in(context.format);
}

std::string show_topology(const Context& context) {
  const Topology& topology = *context.setup.workload.topology;
  if (context.format == OutputFormat::Csv) return links_table(topology).csv();
  const TextTable devices = devices_table(topology), links = links_table(topology),
                  routes = routes_table(topology, k_routes_shown);
  if (context.format == OutputFormat::Table)
    return fmt::format("{}: {} devices, {} links, nodes: {}\n\n{}\n{}\n{}", topology.name(),
                       topology.size(), topology.links().size(), topology.nodes(), devices.text(),
                       links.text(), routes.text());
  const nlohmann::ordered_json json{{"name", topology.name()},
                                    {"nodes", topology.nodes()},
                                    {"devices", nlohmann::ordered_json::parse(devices.json())},
                                    {"links", nlohmann::ordered_json::parse(links.json())},
                                    {"routes", nlohmann::ordered_json::parse(routes.json())}};
  return json.dump(2) + "\n";
}

std::vector<std::int64_t> sample_counts(const Context& context) {
  if (context.values.count("samples") == 0) return {1, context.setup.workload.training.mini_batch};
  return parse_sample_counts(context.values["samples"].as<std::string>());
}

std::string show_costs(const Context& context) {
  const Workload& workload = context.setup.workload;
  if (!workload.topology->homogeneous())
    print_note(context.console, "the devices differ; these are the costs on device 0");
  return costs_table(workload, sample_counts(context)).in(context.format);
}

/// Nothing where the answer is no, which is told on standard error.
std::optional<Plan> plan_to_show(const Context& context) {
  const PlanRequest& request = plan_of(context.setup.scenario, context.values);
  MadePlan made = make_plan(request, context.setup);
  for (const std::string& note : made.notes) print_note(context.console, note);
  if (const Infeasible* infeasible = std::get_if<Infeasible>(&made.plan)) {
    print_note(context.console, fmt::format("{}: {}", request.name, infeasible->reason));
    return std::nullopt;
  }
  return std::get<Plan>(std::move(made.plan));
}

std::optional<std::string> show_plan(const Context& context) {
  const std::optional<Plan> plan = plan_to_show(context);
  if (!plan) return std::nullopt;
  const Scenario& scenario = context.setup.scenario;
  return plan_file_text(*plan, *context.setup.workload.graph, origin_of(scenario));
}

std::optional<std::string> show_program(const Context& context) {
  const std::optional<Plan> plan = plan_to_show(context);
  if (!plan) return std::nullopt;
  const PreparedPlan prepared =
      prepare(context.setup.workload, *plan, evaluation_options(context.setup.scenario.simulation));
  if (!prepared.reason.empty()) print_note(context.console, prepared.reason);
  if (!prepared.program) return std::nullopt;
  return to_text(*prepared.program);
}

std::optional<std::string> show_timeline(const Context& context) {
  const PlanRequest& request = plan_of(context.setup.scenario, context.values);
  const Outcome outcome = [&] {
    Progress progress(context.console, 1);
    progress.begin(0, request.name);
    return carry_out(request, context.setup, progress);
  }();
  for (const std::string& note : outcome.notes) print_note(context.console, note);
  if (!outcome.timeline) {
    print_note(context.console, fmt::format("{}: {}", request.name, outcome.result.reason));
    return std::nullopt;
  }
  if (outcome.timeline->size() > k_most_shown)
    print_note(context.console, fmt::format("the first {} of {} instructions are shown",
                                            k_most_shown, outcome.timeline->size()));
  return timeline_table(*outcome.prepared->program, *outcome.timeline).in(context.format);
}

struct Subject {
  std::string_view name;
  std::optional<std::string> (*show)(const Context& context);
};
constexpr std::array k_subjects{
    Subject{"graph", [](const Context& c) { return std::optional(show_graph(c)); }},
    Subject{"plan", show_plan},
    Subject{"program", show_program},
    Subject{"timeline", show_timeline},
    Subject{"topology", [](const Context& c) { return std::optional(show_topology(c)); }},
    Subject{"costs", [](const Context& c) { return std::optional(show_costs(c)); }}};

Options make_options() {
  Options options(
      {.verb = "show",
       .synopsis = "graph|plan|program|timeline|topology|costs SCENARIO [options]",
       .about = "Prints an intermediate result of a scenario: operators, a plan file, "
                "instructions, their times, devices and links, or operators' times. plan "
                "and program have one form; the others follow --format.",
       .examples = "  pipegraph show graph scenarios/quickstart.yaml\n"
                   "  pipegraph show timeline scenarios/quickstart.yaml --plan graphpipe\n"
                   "  pipegraph show costs scenarios/quickstart.yaml --samples 1,8,64\n"});
  options.add_positional("WHAT");
  add_scenario(options);
  add_choice_of_plan(options);
  options.add()("samples", po::value<std::string>()->value_name("LIST"),
                "costs: numbers of samples, 1 to 2^30 each (default: 1 and the mini-batch)");
  add_format(options);
  return options;
}

}  // namespace

int run_show(Arguments arguments, const Console& console) {
  const auto values = make_options().parse(arguments, console);
  if (!values) return ExitDone;
  std::vector<std::string> names;
  for (const Subject& subject : k_subjects) names.emplace_back(subject.name);
  const Subject& subject = k_subjects[choice_of(*values, "WHAT", names)];
  const OutputFormat format = format_of(*values);
  const Study study = load_study(*values);
  const Setup setup = set_up(point_of(study, *values));
  const auto text = subject.show({setup, *values, console, format});
  if (!text) return ExitNo;
  print_result(console, *text);
  return ExitDone;
}

}  // namespace pipegraph
