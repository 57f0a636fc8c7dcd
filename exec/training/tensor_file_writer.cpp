#include <nlohmann/json.hpp>
#include <utility>

#include "core/base/errors.h"
#include "exec/training/tensor_file.h"
#include "exec/training/tensor_file_layout.h"

namespace pipegraph {
namespace {

std::string_view as_text(std::span<const std::byte> bytes) {
  return {reinterpret_cast<const char*>(bytes.data()), bytes.size()};
}

std::string number_bytes(std::uint32_t value) {
  return {reinterpret_cast<const char*>(&value), sizeof value};
}

/// Offsets are relative to the end of the header, or its length would depend on itself.
std::string header_of(const std::vector<TensorDescription>& tensors) {
  auto list = nlohmann::ordered_json::array();
  std::uint64_t offset = 0;
  for (const TensorDescription& tensor : tensors) {
    list.push_back({{"name", tensor.name},
                    {"type", to_text(tensor.type)},
                    {"shape", tensor.shape},
                    {"offset", offset}});
    offset = aligned(offset + byte_size(tensor));
  }
  std::string header = nlohmann::ordered_json{{"tensors", std::move(list)}}.dump();
  header.resize(aligned(k_tensor_preamble + header.size()) - k_tensor_preamble, ' ');
  return header;
}

}  // namespace

std::string_view to_text(ElementType type) {
  return type == ElementType::Float32 ? "float32" : "int32";
}

std::uint64_t byte_size(const TensorDescription& tensor) {
  std::uint64_t bytes = k_element_bytes;
  for (const std::int64_t extent : tensor.shape) bytes *= static_cast<std::uint64_t>(extent);
  return bytes;
}

TensorFileWriter::TensorFileWriter(const std::filesystem::path& path,
                                   std::vector<TensorDescription> tensors)
    : file_(path), tensors_(std::move(tensors)) {
  const std::string header = header_of(tensors_);
  file_.append(std::string(k_tensor_magic) + number_bytes(k_tensor_format) +
               number_bytes(static_cast<std::uint32_t>(header.size())));
  file_.append(header);
  begin_tensor();
}

void TensorFileWriter::begin_tensor() {
  while (current_ < tensors_.size() && byte_size(tensors_[current_]) == 0) ++current_;
  if (current_ == tensors_.size()) return;
  file_.append(std::string(aligned(position_) - position_, '\0'));
  position_ = aligned(position_);
  missing_ = byte_size(tensors_[current_]);
}

void TensorFileWriter::append(std::span<const std::byte> elements) {
  while (!elements.empty()) {
    check(current_ < tensors_.size(), "no more elements than were described");
    const auto now = elements.first(std::min<std::uint64_t>(elements.size(), missing_));
    file_.append(as_text(now));
    position_ += now.size();
    missing_ -= now.size();
    elements = elements.subspan(now.size());
    if (missing_ > 0) continue;
    ++current_;
    begin_tensor();
  }
}

void TensorFileWriter::commit() {
  check(current_ == tensors_.size(), "every tensor that was described is written");
  file_.sync();
  file_.commit();
}

}  // namespace pipegraph
