// Which SimGrid this was built with.
#pragma once

#include <string>

namespace pipegraph {

/// "3.32.0".
std::string simgrid_version();

}  // namespace pipegraph
