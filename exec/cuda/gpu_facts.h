// What the GPUs of this machine are and what drives them, in words, for those who read figures that
// were measured on them.
#pragma once

#include <string>
#include <string_view>

#include "core/profile/cost_file.h"

namespace pipegraph {

/// Errors: those of choose_gpus; CudaError.
MachineGpus describe_gpus();

/// The driver's version in a text like /proc/driver/nvidia/version; empty if it has none.
std::string driver_version_in(std::string_view text);

}  // namespace pipegraph
