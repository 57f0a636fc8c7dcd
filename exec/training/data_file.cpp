#include "exec/training/data_file.h"

#include <algorithm>
#include <array>
#include <fstream>
#include <vector>

#include "core/base/errors.h"
#include "exec/training/crc32.h"
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

/// Of one field of all samples, read in pieces.
template <class T>
std::uint32_t add_checksum(const DataFile& data, const DataField& field, std::uint32_t crc) {
  constexpr std::int64_t k_piece = 1 << 16;  // elements
  const std::int64_t at_once = std::max<std::int64_t>(1, k_piece / field.elements());
  std::vector<T> values;
  for (std::int64_t first = 0; first < data.samples(); first += at_once) {
    const std::int64_t count = std::min(at_once, data.samples() - first);
    values.resize(static_cast<std::size_t>(count * field.elements()));
    data.read(field.op, first, std::span<T>(values));
    const auto bytes = std::as_bytes(std::span(values));
    crc = crc32({reinterpret_cast<const char*>(bytes.data()), bytes.size()}, crc);
  }
  return crc;
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

std::string checksum_of(const DataFile& data, std::span<const DataField> fields) {
  std::uint32_t crc = 0;
  for (const DataField& field : fields)
    crc = field.type() == ElementType::Float32 ? add_checksum<float>(data, field, crc)
                                               : add_checksum<std::int32_t>(data, field, crc);
  return crc32_text(crc);
}

}  // namespace pipegraph
