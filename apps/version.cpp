#include "apps/version.h"

#include <fmt/format.h>

#ifdef PIPEGRAPH_HAS_SIMGRID
#include "sim/version.h"
#endif

namespace pipegraph {

std::string version_text() {
  std::string text = fmt::format("pipegraph {}\n", PIPEGRAPH_VERSION);
#ifdef PIPEGRAPH_HAS_SIMGRID
  text += fmt::format("SimGrid {}\n", simgrid_version());
#else
  text += "built without SimGrid: only the analytic backend\n";
#endif
  return text;
}

}  // namespace pipegraph
