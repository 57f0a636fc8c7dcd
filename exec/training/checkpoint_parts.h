// A checkpoint in parts, one per rank: each rank's tensors go into a file of its own, and what the
// manifest has to say about them travels as text. Internal to the checkpoint folder.
#pragma once

#include <filesystem>
#include <span>
#include <string>

#include "exec/training/checkpoint.h"

namespace pipegraph {

/// Writes the tensors of `state` that this rank owns; no file if there are none. Returns their
/// names, shapes and checksums. Errors: MachineError.
std::string write_part(const std::filesystem::path& path, const TrainingState& state);

/// The checkpoint of all ranks' `parts`; rank r's file is "<prefix>r.tensors".
Checkpoint merge_parts(const TrainingPoint& point, const std::string& prefix,
                       std::span<const std::string> parts);

}  // namespace pipegraph
