// From the files of a checkpoint into every copy that a rank holds.
#include <fmt/ranges.h>

#include <memory>
#include <unordered_map>

#include "core/base/errors.h"
#include "exec/training/checkpoint.h"
#include "exec/training/crc32.h"
#include "exec/training/tensor_file.h"

namespace pipegraph {
namespace {

class Restoring {
 public:
  explicit Restoring(const Checkpoint& checkpoint)
      : checkpoint_(checkpoint), files_(checkpoint.files.size()) {
    for (const SavedState& tensor : checkpoint.tensors) by_name_.emplace(tensor.name, &tensor);
  }

  /// The values of `wanted`.
  const std::vector<float>& values(const StateTensor& wanted) {
    const SavedState& saved = find(wanted);
    const TensorFile& file = opened(saved.file);
    const auto index = file.find(saved.name);
    if (!index || file.tensors()[*index] != TensorDescription{saved.name, {}, saved.shape})
      fail(file.path(), fmt::format("has no tensor '{}' of the manifest's shape", saved.name));
    buffer_.resize(static_cast<std::size_t>(elements(wanted)));
    const auto bytes = std::as_writable_bytes(std::span(buffer_));
    file.read(*index, 0, bytes);
    if (crc32({reinterpret_cast<const char*>(bytes.data()), bytes.size()}) != saved.crc)
      fail(file.path(),
           fmt::format("tensor '{}' is damaged: its checksum does not match", saved.name));
    return buffer_;
  }

 private:
  [[noreturn]] static void fail(const std::filesystem::path& file, const std::string& problem) {
    throw ConfigError({.file = file.string()}, problem,
                      "a whole checkpoint; --resume=FILE takes the manifest of an older one");
  }

  const SavedState& find(const StateTensor& wanted) const {
    const auto found = by_name_.find(wanted.name);
    if (found == by_name_.end())
      fail(checkpoint_.manifest, fmt::format("has no tensor '{}'", wanted.name));
    const SavedState& saved = *found->second;
    if (saved.shape != wanted.shape)
      fail(checkpoint_.manifest,
           fmt::format("tensor '{}' is [{}], this model's is [{}]", saved.name,
                       fmt::join(saved.shape, ", "), fmt::join(wanted.shape, ", ")));
    return saved;
  }

  const TensorFile& opened(std::size_t file) {
    if (files_[file]) return *files_[file];
    const std::filesystem::path path = checkpoint_.manifest.parent_path() / checkpoint_.files[file];
    try {
      files_[file] = std::make_unique<TensorFile>(path);
    } catch (const ConfigError& error) {
      fail(checkpoint_.manifest, fmt::format("cannot be restored: {}", error.what()));
    }
    return *files_[file];
  }

  const Checkpoint& checkpoint_;
  std::unordered_map<std::string, const SavedState*> by_name_;
  std::vector<std::unique_ptr<TensorFile>> files_;
  std::vector<float> buffer_;
};

}  // namespace

void restore(const Checkpoint& checkpoint, TrainingState& state) {
  Restoring restoring(checkpoint);
  for (std::size_t i = 0; i < state.tensors().size(); ++i)
    state.write(i, restoring.values(state.tensors()[i]));
}

}  // namespace pipegraph
