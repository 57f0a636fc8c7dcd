// JSON by hand where it decides the lines: one tensor and one operator a line.
#include <nlohmann/json.hpp>

#include "exec/training/checkpoint.h"
#include "exec/training/crc32.h"

namespace pipegraph {
namespace {

using Json = nlohmann::ordered_json;

std::string lines_of(const std::vector<Json>& items) {
  std::string text = "[";
  for (std::size_t i = 0; i < items.size(); ++i)
    text += (i > 0 ? ",\n  " : "\n  ") + items[i].dump();
  return text + "]";
}

Json settings_of(const TrainingPoint& point) {
  return {{"name", to_text(point.optimizer)},
          {"learning_rate", point.settings.learning_rate},
          {"momentum", point.settings.momentum},
          {"first_moment_decay", point.settings.first_moment_decay},
          {"second_moment_decay", point.settings.second_moment_decay},
          {"epsilon", point.settings.epsilon}};
}

Json habits_of(const TrainingHabits& habits) {
  return {{"data_file", habits.data_file},
          {"data_crc32", habits.data_crc},
          {"checkpoint_every", habits.checkpoint_every},
          {"validate_every", habits.validate_every},
          {"validation_file", habits.validation_file},
          {"validation_batches", habits.validation_batches}};
}

}  // namespace

std::string manifest_text(const Checkpoint& checkpoint) {
  const TrainingPoint& point = checkpoint.point;
  std::vector<Json> operators(point.model.operators.begin(), point.model.operators.end());
  std::vector<Json> tensors;
  for (const SavedState& tensor : checkpoint.tensors)
    tensors.push_back({{"name", tensor.name},
                       {"shape", tensor.shape},
                       {"file", tensor.file},
                       {"crc32", crc32_text(tensor.crc)}});
  std::string text = "{\"format\": 1, \"program\": \"pipegraph\",\n";
  const auto add = [&](const char* key, const std::string& json) {
    text += fmt::format("\"{}\": {},\n", key, json);
  };
  add("step", Json(point.step).dump());
  add("samples", Json(point.samples).dump());
  add("seed", Json(point.seed).dump());
  add("mini_batch_samples", Json(point.mini_batch).dump());
  add("optimizer", settings_of(point).dump());
  add("data", Json(point.data).dump());
  add("habits", habits_of(point.habits).dump());
  add("model_hash", Json(hash_text(point.model)).dump());
  add("operators", lines_of(operators));
  add("files", Json(checkpoint.files).dump());
  add("tensors", lines_of(tensors));
  return text + fmt::format("\"crc32\": \"{}\"}}\n", crc32_text(crc32(text)));
}

}  // namespace pipegraph
