// Versions of the program and of what its results depend on.
#pragma once

#include <string>

namespace pipegraph {

/// "pipegraph 0.1.0" and a line for each library that shapes results.
std::string version_text();

}  // namespace pipegraph
