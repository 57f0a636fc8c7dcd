// The machine that this process runs on.
#pragma once

#include <string>

namespace pipegraph {

/// Empty if it has no name.
std::string host_name();

}  // namespace pipegraph
