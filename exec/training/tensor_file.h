// Files of named tensors, for checkpoints and training data: "PGTENSOR", a version, a JSON header,
// then every tensor's elements as they lie in memory (docs/file_formats.md has the bytes).
#pragma once

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "core/base/files.h"

namespace pipegraph {

enum class ElementType : std::uint8_t { Float32, Int32 };
std::string_view to_text(ElementType type);  ///< "float32", "int32"

/// Both types have four bytes.
inline constexpr std::uint64_t k_element_bytes = 4;

struct TensorDescription {
  std::string name;
  ElementType type = ElementType::Float32;
  std::vector<std::int64_t> shape;
  bool operator==(const TensorDescription&) const = default;
};
std::uint64_t byte_size(const TensorDescription& tensor);

/// Writes the tensors that `tensors` describes, in this order, each in as many pieces as one likes.
/// The file has its name only after commit(), which also waits for the disk.
class TensorFileWriter {
 public:
  /// Errors: MachineError if the file cannot be written, here and below.
  TensorFileWriter(const std::filesystem::path& path, std::vector<TensorDescription> tensors);
  void append(std::span<const std::byte> elements);
  /// Errors: InternalError unless every tensor was appended in full.
  void commit();

 private:
  void begin_tensor();

  FileWriter file_;
  std::vector<TensorDescription> tensors_;
  std::size_t current_ = 0;     ///< tensor being written
  std::uint64_t missing_ = 0;   ///< bytes of it yet to come
  std::uint64_t position_ = 0;  ///< in the file
};

/// An open file, checked: header and sizes agree with each other and with the file's length.
class TensorFile {
 public:
  /// Errors: ConfigError that names the file and what is wrong with which tensor.
  explicit TensorFile(std::filesystem::path path);
  TensorFile(const TensorFile&) = delete;
  TensorFile& operator=(const TensorFile&) = delete;
  ~TensorFile();

  const std::filesystem::path& path() const { return path_; }
  const std::vector<TensorDescription>& tensors() const { return tensors_; }
  std::optional<std::size_t> find(std::string_view name) const;
  /// Fills `into` with the bytes of tensor `index` from byte `first` of it on. Safe from several
  /// threads at once. Errors: MachineError if the file cannot be read (any more).
  void read(std::size_t index, std::uint64_t first, std::span<std::byte> into) const;

 private:
  std::string read_header();
  void place_tensors(const std::string& header);
  [[noreturn]] void fail(const std::string& problem, const std::string& expected) const;

  std::filesystem::path path_;
  int descriptor_ = -1;
  std::uint64_t size_ = 0;
  std::vector<TensorDescription> tensors_;
  std::vector<std::uint64_t> offsets_;
  std::unordered_map<std::string, std::size_t> by_name_;
};

}  // namespace pipegraph
