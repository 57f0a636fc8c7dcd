#include "exec/training/tensor_file.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <cstring>
#include <system_error>
#include <utility>

#include "core/base/errors.h"
#include "core/base/yaml_reader.h"
#include "exec/training/tensor_file_layout.h"

namespace pipegraph {
namespace {

constexpr std::uint32_t k_most_header_bytes = 1U << 26;
/// Keeps products of extents away from the limits of 64 bits.
constexpr std::int64_t k_most_elements = std::int64_t{1} << 48;

const std::array<std::string, 2> k_type_names{"float32", "int32"};

std::string reason_of(int error) { return std::system_category().message(error); }

std::vector<std::int64_t> shape_of(const YamlValue& value) {
  std::vector<std::int64_t> shape;
  std::int64_t product = 1;
  for (const YamlValue& item : value.items()) {
    shape.push_back(item.as_integer(0, k_most_elements));
    if (shape.back() > 0 && product > k_most_elements / shape.back())
      value.fail("has too many elements", "at most 2^48");
    product *= shape.back();
  }
  return shape;
}

}  // namespace

TensorFile::TensorFile(std::filesystem::path path) : path_(std::move(path)) {
  descriptor_ = ::open(path_.c_str(), O_RDONLY | O_CLOEXEC);
  if (descriptor_ < 0) fail("cannot be read: " + reason_of(errno), "the path of a readable file");
  try {
    struct ::stat status {};
    if (::fstat(descriptor_, &status) != 0 || !S_ISREG(status.st_mode))
      fail("is not a regular file", "a tensor file");
    size_ = static_cast<std::uint64_t>(status.st_size);
    place_tensors(read_header());
  } catch (...) {
    ::close(descriptor_);
    throw;
  }
}

TensorFile::~TensorFile() { ::close(descriptor_); }

void TensorFile::fail(const std::string& problem, const std::string& expected) const {
  throw ConfigError({.file = path_.empty() ? "''" : path_.string()}, problem, expected);
}

std::string TensorFile::read_header() {
  std::array<char, k_tensor_preamble> start{};
  const auto at = [&](std::size_t position) {
    std::uint32_t value = 0;
    std::memcpy(&value, start.data() + position, sizeof value);
    return value;
  };
  const ssize_t got = ::pread(descriptor_, start.data(), start.size(), 0);
  if (got < 0) fail("cannot be read: " + reason_of(errno), "a readable file");
  if (!std::string_view(start.data(), static_cast<std::size_t>(got)).starts_with(k_tensor_magic))
    fail("is not a tensor file", "a file that begins with 'PGTENSOR'");
  if (static_cast<std::size_t>(got) < start.size())
    fail(fmt::format("ends after {} bytes, inside its header", size_), "a whole file");
  if (at(8) != k_tensor_format)
    fail(fmt::format("has format {}", at(8)), fmt::format("format {}", k_tensor_format));
  if (at(12) > k_most_header_bytes || k_tensor_preamble + at(12) > size_)
    fail(fmt::format("ends after {} bytes, inside its header of {}", size_, at(12)),
         "a whole file");
  std::string header(at(12), '\0');
  const ssize_t read = ::pread(descriptor_, header.data(), header.size(), k_tensor_preamble);
  if (read != static_cast<ssize_t>(header.size())) fail("cannot be read", "a readable file");
  return header;
}

void TensorFile::place_tensors(const std::string& header) {
  MapReader map(YamlValue::parse(header, path_.string()), "the header of a tensor file");
  for (const YamlValue& item : map.required("tensors").items()) {
    MapReader reader(item, "a tensor");
    TensorDescription tensor{.name = reader.required("name").as_string()};
    tensor.type = static_cast<ElementType>(reader.required("type").as_choice(k_type_names));
    tensor.shape = shape_of(reader.required("shape"));
    const YamlValue offset = reader.required("offset");
    const auto place = static_cast<std::uint64_t>(offset.as_integer(0, k_most_elements * 8));
    reader.finish();
    if (!by_name_.emplace(tensor.name, tensors_.size()).second)
      item.fail(fmt::format("there are two tensors '{}'", tensor.name), "one of each name");
    offsets_.push_back(k_tensor_preamble + header.size() + place);
    const std::uint64_t end = offsets_.back() + byte_size(tensor);
    if (end > size_)
      fail(fmt::format("ends after {} bytes, inside tensor '{}', which reaches to byte {}", size_,
                       tensor.name, end),
           "a whole file");
    tensors_.push_back(std::move(tensor));
  }
  map.finish();
}

std::optional<std::size_t> TensorFile::find(std::string_view name) const {
  const auto found = by_name_.find(std::string(name));
  return found == by_name_.end() ? std::nullopt : std::optional(found->second);
}

void TensorFile::read(std::size_t index, std::uint64_t first, std::span<std::byte> into) const {
  check(first + into.size() <= byte_size(tensors_[index]), "reads stay inside a tensor");
  std::uint64_t position = offsets_[index] + first;
  while (!into.empty()) {
    const ssize_t got =
        ::pread(descriptor_, into.data(), into.size(), static_cast<off_t>(position));
    if (got < 0 && errno == EINTR) continue;
    if (got <= 0)
      throw MachineError(fmt::format("{}: tensor '{}' cannot be read any more: {}", path_.string(),
                                     tensors_[index].name,
                                     got < 0 ? reason_of(errno) : "the file has become shorter"));
    into = into.subspan(static_cast<std::size_t>(got));
    position += static_cast<std::uint64_t>(got);
  }
}

}  // namespace pipegraph
