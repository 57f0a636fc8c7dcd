#include "sim/version.h"

#include <fmt/format.h>
#include <simgrid/engine.h>
#include <simgrid/version.h>

namespace pipegraph {

std::string simgrid_version() {
  return fmt::format("{}.{}.{}", SIMGRID_VERSION_MAJOR, SIMGRID_VERSION_MINOR,
                     SIMGRID_VERSION_PATCH);
}

}  // namespace pipegraph
