// The folder of checkpoints: writing one so that a kill, a power cut or a full disk at any moment
// leaves the older ones whole, and keeping the last two.
#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include "exec/training/checkpoint.h"
#include "exec/transport/ranks.h"

namespace pipegraph {

inline constexpr std::size_t k_checkpoints_kept = 2;

/// Manifests in `folder`, latest step first; none if there is no such folder.
std::vector<std::filesystem::path> manifests_in(const std::filesystem::path& folder);

/// The manifest itself, or the latest in a folder of checkpoints or results. Errors: ConfigError if
/// there is none.
std::filesystem::path find_manifest(const std::filesystem::path& manifest_or_folder);

/// Called by all ranks of a job, which share the folder: each writes the tensors it owns, the first
/// the manifest once all have, then removes older checkpoints. Errors: MachineError on all ranks,
/// naming the one that failed; nothing of the new checkpoint remains then.
void write_checkpoint(const std::filesystem::path& folder, const TrainingPoint& point,
                      const TrainingState& state, Ranks& ranks);

}  // namespace pipegraph
