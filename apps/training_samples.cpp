#include "apps/training_samples.h"

#include "core/base/errors.h"
#include "exec/training/data_file.h"
#include "exec/training/synthetic_data.h"

namespace pipegraph {
namespace {

/// Synthetic samples from here on are for validation: no training gets this far.
constexpr std::int64_t k_held_out = std::int64_t{1} << 43;

void validate_with_file(const TrainingFlags& flags, const Workload& workload,
                        TrainingSamples& samples) {
  const std::int32_t mini_batch = workload.training.mini_batch;
  auto file = open_data(*flags.validation_data, data_fields(*workload.graph), mini_batch);
  const std::int64_t whole = file->samples() / mini_batch;
  samples.validation_batches = flags.validation_batches.value_or(whole);
  if (samples.validation_batches > whole)
    throw ConfigError(
        {.file = "--validation-batches"},
        fmt::format("{} has {} samples, that is {} mini-batches of {}",
                    flags.validation_data->string(), file->samples(), whole, mini_batch),
        fmt::format("1 to {}", whole));
  if (!flags.validation_batches && file->samples() % mini_batch != 0)
    samples.notes.push_back(fmt::format(
        "{}: the last {} samples do not fill a mini-batch and are not used for validation",
        flags.validation_data->string(), file->samples() % mini_batch));
  samples.validation = std::move(file);
}

}  // namespace

TrainingSamples open_samples(const TrainingFlags& flags, const Workload& workload,
                             std::uint64_t seed) {
  TrainingSamples samples;
  if (flags.data) {
    const std::vector<DataField> fields = data_fields(*workload.graph);
    auto file = open_data(*flags.data, fields, workload.training.mini_batch);
    samples.crc = checksum_of(*file, fields);
    samples.origin = fmt::format("{}, {} samples", flags.data->string(), file->samples());
    samples.training = std::move(file);
  } else {
    samples.origin = "synthetic";
    samples.training = std::make_unique<SyntheticData>(*workload.graph, seed);
  }
  if (flags.validate_every == 0) return samples;
  if (flags.validation_data) {
    validate_with_file(flags, workload, samples);
  } else {
    samples.validation = std::make_unique<SyntheticData>(*workload.graph, seed);
    samples.first_validation_sample = k_held_out;
    samples.validation_batches = flags.validation_batches.value_or(1);
  }
  return samples;
}

}  // namespace pipegraph
