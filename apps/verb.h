// The verbs of the command line, one file each.
#pragma once

#include <span>
#include <string_view>

#include "apps/console.h"
#include "apps/options.h"

namespace pipegraph {

struct Verb {
  std::string_view name;
  std::string_view summary;  ///< one line
  /// Returns the exit code; throws ConfigError, MachineError, InternalError.
  int (*run)(Arguments arguments, const Console& console);
};

int run_simulate(Arguments arguments, const Console& console);
int run_run(Arguments arguments, const Console& console);
int run_plan(Arguments arguments, const Console& console);
int run_show(Arguments arguments, const Console& console);
int run_validate(Arguments arguments, const Console& console);
int run_list(Arguments arguments, const Console& console);
int run_report(Arguments arguments, const Console& console);
int run_compare(Arguments arguments, const Console& console);
int run_profile(Arguments arguments, const Console& console);
int run_crosscheck(Arguments arguments, const Console& console);
int run_links(Arguments arguments, const Console& console);

std::span<const Verb> verb_table();

}  // namespace pipegraph
