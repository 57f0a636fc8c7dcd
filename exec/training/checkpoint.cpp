#include "exec/training/checkpoint.h"

#include <algorithm>
#include <limits>

#include "core/base/files.h"
#include "core/base/yaml_reader.h"
#include "exec/training/crc32.h"

namespace pipegraph {
namespace {

constexpr std::int64_t k_most = std::numeric_limits<std::int64_t>::max();
const std::vector<std::string> k_optimizers{"none", "sgd", "momentum", "adam"};

/// The last line holds the checksum of those before it.
void check_sum(const std::filesystem::path& path, const std::string& text) {
  const auto fail = [&](const std::string& problem) {
    throw ConfigError({.file = path.string()}, problem,
                      "a whole manifest of a checkpoint; --resume=FILE takes that of an older one");
  };
  const std::size_t last = text.size() < 2 ? 0 : text.rfind('\n', text.size() - 2) + 1;
  const std::string_view summed = std::string_view(text).substr(0, last);
  const std::string expected = fmt::format("\"crc32\": \"{}\"}}\n", crc32_text(crc32(summed)));
  if (last == 0 || !std::string_view(text).starts_with('{')) fail("is no manifest");
  if (text.substr(last) != expected) fail("is damaged: its checksum does not match");
}

struct NamedOptimizer {
  Optimizer optimizer;
  OptimizerSettings settings;
};

NamedOptimizer read_optimizer(const YamlValue& value) {
  MapReader reader(value, "an optimizer");
  const auto number = [&](const char* key) { return reader.required(key).as_double(); };
  NamedOptimizer result{
      .optimizer = static_cast<Optimizer>(reader.required("name").as_choice(k_optimizers)),
      .settings = {.learning_rate = number("learning_rate"),
                   .momentum = number("momentum"),
                   .first_moment_decay = number("first_moment_decay"),
                   .second_moment_decay = number("second_moment_decay"),
                   .epsilon = number("epsilon")}};
  reader.finish();
  return result;
}

TrainingHabits read_habits(const YamlValue& value) {
  MapReader reader(value, "habits");
  const auto text = [&](const char* key) { return reader.required(key).as_string(); };
  const auto count = [&](const char* key) { return reader.required(key).as_integer(0, k_most); };
  TrainingHabits habits{.data_file = text("data_file"),
                        .data_crc = text("data_crc32"),
                        .checkpoint_every = count("checkpoint_every"),
                        .validate_every = count("validate_every"),
                        .validation_file = text("validation_file"),
                        .validation_batches = count("validation_batches")};
  reader.finish();
  return habits;
}

TrainingPoint read_point(MapReader& reader) {
  TrainingPoint point{.step = reader.required("step").as_integer(0, k_most),
                      .samples = reader.required("samples").as_integer(0, k_most)};
  point.seed = static_cast<std::uint64_t>(reader.required("seed").as_integer(0, k_most));
  point.mini_batch = static_cast<std::int32_t>(
      reader.required("mini_batch_samples").as_integer(1, std::numeric_limits<int>::max()));
  const NamedOptimizer optimizer = read_optimizer(reader.required("optimizer"));
  point.optimizer = optimizer.optimizer;
  point.settings = optimizer.settings;
  point.data = reader.required("data").as_string();
  // Checkpoints of versions before 'habits' say less.
  if (const auto habits = reader.optional("habits")) point.habits = read_habits(*habits);
  for (const YamlValue& line : reader.required("operators").items())
    point.model.operators.push_back(line.as_string());
  return point;
}

/// A file lies beside the manifest, or a manifest could make us read anything.
std::string read_file_name(const YamlValue& value) {
  std::string name = value.as_string();
  if (name.empty() || name.find('/') != std::string::npos) value.fail("is no name", "a file name");
  return name;
}

SavedState read_tensor(const YamlValue& value, std::size_t files) {
  MapReader reader(value, "a tensor");
  SavedState tensor{.name = reader.required("name").as_string()};
  for (const YamlValue& extent : reader.required("shape").items())
    tensor.shape.push_back(extent.as_integer(0, std::int64_t{1} << 48));
  const YamlValue file = reader.required("file");
  tensor.file = static_cast<std::size_t>(
      file.as_integer(0, std::max<std::int64_t>(1, static_cast<std::int64_t>(files)) - 1));
  if (files == 0) file.fail("there are no files", "a manifest with files");
  const YamlValue crc = reader.required("crc32");
  const std::string text = crc.as_string();
  tensor.crc = static_cast<std::uint32_t>(std::strtoul(text.c_str(), nullptr, 16));
  if (crc32_text(tensor.crc) != text) crc.fail("is no checksum", "8 hexadecimal digits");
  reader.finish();
  return tensor;
}

}  // namespace

Checkpoint read_manifest(const std::filesystem::path& manifest) {
  const std::string text = read_file(manifest);
  check_sum(manifest, text);
  MapReader reader(YamlValue::parse(text, manifest.string()), "a checkpoint");
  const YamlValue format = reader.required("format");
  if (format.as_integer() != 1) format.fail("this version cannot read it", "format 1");
  reader.required("program");
  Checkpoint checkpoint{.manifest = manifest, .point = read_point(reader)};
  reader.required("model_hash");
  for (const YamlValue& file : reader.required("files").items())
    checkpoint.files.push_back(read_file_name(file));
  for (const YamlValue& tensor : reader.required("tensors").items())
    checkpoint.tensors.push_back(read_tensor(tensor, checkpoint.files.size()));
  reader.required("crc32");
  reader.finish();
  return checkpoint;
}

void check_fits(const Checkpoint& checkpoint, const TrainingPoint& present) {
  const auto refuse = [&](const std::string& problem, const std::string& expected) {
    throw ConfigError({.file = checkpoint.manifest.string()}, problem, expected);
  };
  const std::vector<std::string> found = differences(checkpoint.point.model, present.model);
  if (!found.empty())
    refuse(fmt::format("is of another model: {}", fmt::join(found, "; ")),
           "a checkpoint of this model");
  if (checkpoint.point.optimizer != present.optimizer)
    refuse(fmt::format("was made with optimizer {}, this run has {}",
                       to_text(checkpoint.point.optimizer), to_text(present.optimizer)),
           fmt::format("training.optimizer: {}", to_text(checkpoint.point.optimizer)));
}

}  // namespace pipegraph
