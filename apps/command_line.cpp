#include "apps/command_line.h"

#include <array>
#include <exception>
#include <new>

#include "apps/exit_code.h"
#include "apps/verb.h"
#include "apps/version.h"
#include "core/base/errors.h"
#include "core/base/nearest.h"

namespace pipegraph {
namespace {

constexpr std::array k_verbs{
    Verb{"simulate", "plan, simulate and compare the plans of a scenario", run_simulate},
    Verb{"run", "execute the plans of a scenario on devices, and measure them", run_run},
    Verb{"plan", "make the plans of a scenario, and write the best one to a file", run_plan},
    Verb{"show", "print a graph, plan, program, timeline, topology or the costs as text", run_show},
    Verb{"validate", "check a scenario without running it", run_validate},
    Verb{"list", "list planners, models, topologies, schedules or collectives", run_list},
    Verb{"report", "draw the pictures and the HTML report of a results folder", run_report},
    Verb{"profile", "measure operators or plans on this machine into a cost file", run_profile},
    Verb{"links", "measure the links of this machine's GPUs into a cluster file", run_links},
    Verb{"crosscheck", "profile, plan, simulate, run and compare in one command", run_crosscheck},
    Verb{"compare", "compare two results: predicted and measured, two plans, two machines",
         run_compare},
};

std::string general_help() {
  std::string text =
      "usage: pipegraph VERB ...\n\n"
      "Plans and simulates graph pipeline parallelism for training deep networks.\n\nverbs:\n";
  for (const Verb& verb : k_verbs) text += fmt::format("  {:<10} {}\n", verb.name, verb.summary);
  text +=
      "\n'pipegraph VERB --help' explains a verb; 'pipegraph --version' prints the versions.\n\n"
      "examples:\n"
      "  pipegraph simulate scenarios/quickstart.yaml\n"
      "  pipegraph show plan scenarios/quickstart.yaml\n";
  return text;
}

const Verb& verb_named(const std::string& name) {
  std::vector<std::string> names;
  for (const Verb& verb : k_verbs) {
    if (verb.name == name) return verb;
    names.emplace_back(verb.name);
  }
  throw ConfigError({}, fmt::format("there is no verb '{}'", name), expected_one_of(name, names));
}

int run(Arguments arguments, const Console& console) {
  if (arguments.empty()) {
    print_message(console, general_help());
    return ExitBadInput;
  }
  const std::string& first = arguments.front();
  if (first == "--help" || first == "-h" || first == "help") {
    print_result(console, general_help());
    return ExitDone;
  }
  if (first == "--version") {
    print_result(console, version_text());
    return ExitDone;
  }
  return verb_named(first).run(arguments.subspan(1), console);
}

}  // namespace

std::span<const Verb> verb_table() { return k_verbs; }

int run_command_line(Arguments arguments, const Console& console) {
  const auto report = [&](std::string_view kind, const char* what, int code) {
    print_message(console, fmt::format("pipegraph: {}{}\n", kind, what));
    return code;
  };
  try {
    return run(arguments, console);
  } catch (const ConfigError& error) {
    return report("", error.what(), ExitBadInput);
  } catch (const MachineError& error) {
    return report("", error.what(), ExitFault);
  } catch (const std::bad_alloc&) {
    return report("", "there is not enough memory for this", ExitFault);
  } catch (const std::exception& error) {
    return report("our own mistake, please report it: ", error.what(), ExitFault);
  }
}

}  // namespace pipegraph
