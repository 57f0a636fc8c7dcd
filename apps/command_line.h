// The whole command line: finds the verb, runs it, turns what it throws into a message and an exit
// code.
#pragma once

#include "apps/console.h"
#include "apps/options.h"

namespace pipegraph {

/// `arguments` without the program's name. Never throws.
int run_command_line(Arguments arguments, const Console& console);

}  // namespace pipegraph
