// The machine the program runs on, as cost files describe it.
#pragma once

#include "core/profile/cost_file.h"

namespace pipegraph {

Machine this_machine();

}  // namespace pipegraph
