// The samples that `pipegraph run` trains on and validates with.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "apps/training_flags.h"
#include "core/stage/workload.h"
#include "exec/training/data_source.h"

namespace pipegraph {

struct TrainingSamples {
  std::unique_ptr<DataSource> training;
  std::string origin;  ///< of the training samples, for people
  std::string crc;     ///< of the training samples of a file
  std::unique_ptr<DataSource> validation;
  std::int64_t first_validation_sample = 0;
  std::int64_t validation_batches = 1;
  std::vector<std::string> notes;
};

/// Errors: ConfigError, as open_data.
TrainingSamples open_samples(const TrainingFlags& flags, const Workload& workload,
                             std::uint64_t seed);

}  // namespace pipegraph
