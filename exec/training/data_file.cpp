#include "exec/training/data_file.h"

#include <array>
#include <fstream>

#include "core/base/errors.h"
#include "exec/training/data_formats.h"
#include "exec/training/tensor_file_layout.h"

namespace pipegraph {
namespace {

bool is_tensor_file(const std::filesystem::path& path) {
  std::array<char, k_tensor_magic.size()> start{};
  std::ifstream(path, std::ios::binary).read(start.data(), start.size());
  return std::string_view(start.data(), start.size()) == k_tensor_magic;
}

/// A device may never end, and what is read from a pipe cannot be read again.
void refuse_streams(const std::filesystem::path& path) {
  std::error_code ignored;
  if (std::filesystem::is_other(std::filesystem::status(path, ignored)))
    throw ConfigError({.file = path.string()}, "is not a regular file", "a tensor file or CSV");
}

}  // namespace

std::string range_text(const DataField& field) { return fmt::format("0 to {}", field.below - 1); }

std::unique_ptr<DataFile> open_data(const std::filesystem::path& path,
                                    std::span<const DataField> fields, std::int32_t mini_batch) {
  refuse_streams(path);
  auto data = is_tensor_file(path) ? open_binary_data(path, fields) : read_csv_data(path, fields);
  if (data->samples() < mini_batch)
    throw ConfigError(
        {.file = path.string()},
        fmt::format("has {} samples, which is less than a mini-batch", data->samples()),
        fmt::format("at least {} samples, or a smaller training.mini_batch", mini_batch));
  return data;
}

}  // namespace pipegraph
