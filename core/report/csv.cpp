#include "core/report/csv.h"

#include <utility>

namespace pipegraph {

constexpr std::size_t k_buffer_bytes = std::size_t{1} << 20;

CsvWriter::CsvWriter(std::filesystem::path path, std::string_view header) : file_(std::move(path)) {
  buffer_.append(header);
  buffer_.push_back('\n');
}

void CsvWriter::separate() {
  if (row_started_) buffer_.push_back(',');
  row_started_ = true;
}

CsvWriter& CsvWriter::skip() {
  separate();
  return *this;
}

CsvWriter& CsvWriter::operator<<(std::string_view text) {
  separate();
  if (text.find_first_of(",\"\r\n") == std::string_view::npos) {
    buffer_.append(text);
    return *this;
  }
  buffer_.push_back('"');
  for (const char letter : text) {
    if (letter == '"') buffer_.push_back('"');
    buffer_.push_back(letter);
  }
  buffer_.push_back('"');
  return *this;
}

void CsvWriter::end_row() {
  buffer_.push_back('\n');
  row_started_ = false;
  if (buffer_.size() < k_buffer_bytes) return;
  file_.append({buffer_.data(), buffer_.size()});
  buffer_.clear();
}

void CsvWriter::commit() {
  file_.append({buffer_.data(), buffer_.size()});
  file_.commit();
}

}  // namespace pipegraph
