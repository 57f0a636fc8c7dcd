// The emulated device: no arithmetic; what takes time is up to its clock. It tests everything that
// is not arithmetic, with many devices on few cores.
#pragma once

#include "exec/engine.h"

namespace pipegraph {

EngineFactory emulated_engines();

}  // namespace pipegraph
