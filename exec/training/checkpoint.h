// What a checkpoint says about itself: its manifest, one JSON file. It names no plan, so that
// training can continue under any.
#pragma once

#include <cstdint>
#include <filesystem>
#include <string>
#include <vector>

#include "core/stage/workload.h"
#include "exec/training/model_identity.h"
#include "exec/training/step_runner.h"

namespace pipegraph {

/// What a training that is continued goes on with unless it is told otherwise.
struct TrainingHabits {
  std::string data_file;                ///< absolute; empty: synthetic samples
  std::string data_crc;                 ///< of the file's samples; empty: not known
  std::int64_t checkpoint_every = 0;    ///< steps; 0: never
  std::int64_t validate_every = 0;      ///< steps; 0: never
  std::string validation_file;          ///< absolute; empty: synthetic samples
  std::int64_t validation_batches = 0;  ///< 0: the default
  bool operator==(const TrainingHabits&) const = default;
};

/// Where training stands, and what it was made with.
struct TrainingPoint {
  std::int64_t step = 0;     ///< optimizer steps done
  std::int64_t samples = 0;  ///< samples seen: global index of the next one
  std::uint64_t seed = 0;    ///< below 2^63
  std::int32_t mini_batch = 0;
  Optimizer optimizer = Optimizer::Sgd;
  OptimizerSettings settings;
  std::string data;  ///< where samples come from, for people
  TrainingHabits habits;
  ModelIdentity model;
};

/// A tensor of a checkpoint and the file that holds it.
struct SavedState {
  std::string name;
  std::vector<std::int64_t> shape;
  std::size_t file = 0;  ///< of Checkpoint::files
  std::uint32_t crc = 0;
};

struct Checkpoint {
  std::filesystem::path manifest;  ///< where it was read from; its files lie beside it
  TrainingPoint point;
  std::vector<std::string> files;
  std::vector<SavedState> tensors;
};

/// The manifest's text, the last line of which is a checksum of the others.
std::string manifest_text(const Checkpoint& checkpoint);

/// Errors: ConfigError naming the file and what is wrong with it.
Checkpoint read_manifest(const std::filesystem::path& manifest);

/// Errors: ConfigError naming what differs, if `point` was made with another model or optimizer.
void check_fits(const Checkpoint& checkpoint, const TrainingPoint& present);

/// Fills every copy of `state` from the files of the checkpoint, checksums compared. Errors:
/// ConfigError naming file and tensor if one is missing, damaged, or of another shape.
void restore(const Checkpoint& checkpoint, TrainingState& state);

}  // namespace pipegraph
