#include "exec/training/checkpoint_parts.h"

#include <nlohmann/json.hpp>

#include "exec/training/crc32.h"
#include "exec/training/tensor_file.h"

namespace pipegraph {

std::string write_part(const std::filesystem::path& path, const TrainingState& state) {
  const std::vector<StateTensor>& tensors = state.tensors();
  std::vector<std::size_t> owned;
  std::vector<TensorDescription> described;
  for (std::size_t i = 0; i < tensors.size(); ++i) {
    if (tensors[i].role != StateRole::Owner) continue;
    owned.push_back(i);
    described.push_back({tensors[i].name, ElementType::Float32, tensors[i].shape});
  }
  auto part = nlohmann::json::array();
  if (owned.empty()) return part.dump();
  TensorFileWriter file(path, described);
  std::vector<float> values;
  for (const std::size_t i : owned) {
    values.resize(static_cast<std::size_t>(elements(tensors[i])));
    state.read(i, values);
    const auto bytes = std::as_bytes(std::span(values));
    const std::string_view text(reinterpret_cast<const char*>(bytes.data()), bytes.size());
    part.push_back({tensors[i].name, tensors[i].shape, crc32(text)});
    file.append(bytes);
  }
  file.commit();
  return part.dump();
}

Checkpoint merge_parts(const TrainingPoint& point, const std::string& prefix,
                       std::span<const std::string> parts) {
  Checkpoint checkpoint{.point = point};
  for (std::size_t rank = 0; rank < parts.size(); ++rank) {
    const auto part = nlohmann::json::parse(parts[rank]);
    if (part.empty()) continue;
    for (const auto& tensor : part)
      checkpoint.tensors.push_back({.name = tensor[0],
                                    .shape = tensor[1],
                                    .file = checkpoint.files.size(),
                                    .crc = tensor[2]});
    checkpoint.files.push_back(fmt::format("{}{}.tensors", prefix, rank));
  }
  return checkpoint;
}

}  // namespace pipegraph
