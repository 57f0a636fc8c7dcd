#include "apps/version.h"

#include <fmt/format.h>

namespace pipegraph {

std::string version_text() {
  std::string text = fmt::format("pipegraph {}\n", PIPEGRAPH_VERSION);
#ifdef PIPEGRAPH_SIMGRID_VERSION
  text += fmt::format("SimGrid {}\n", PIPEGRAPH_SIMGRID_VERSION);
#else
  text += "built without SimGrid: only the analytic backend\n";
#endif
  return text;
}

}  // namespace pipegraph
