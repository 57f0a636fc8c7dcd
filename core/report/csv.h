// Tables as RFC 4180 text, straight into a file: rows of millions pass through a small buffer.
#pragma once

#include <fmt/format.h>

#include <cmath>
#include <filesystem>
#include <iterator>
#include <string_view>

#include "core/base/files.h"
#include "core/base/ids.h"
#include "core/base/units.h"

namespace pipegraph {

/// One row after the other, field by field. A number that is not finite and an invalid id are empty
/// fields. Doubles are written so that reading gives the same value.
class CsvWriter {
 public:
  CsvWriter(std::filesystem::path path, std::string_view header);

  template <class Integer>
  requires std::is_integral_v<Integer> CsvWriter& operator<<(Integer value) {
    return put("{}", value);
  }
  CsvWriter& operator<<(double value) { return std::isfinite(value) ? put("{}", value) : skip(); }
  CsvWriter& operator<<(Seconds value) { return *this << value.count(); }
  CsvWriter& operator<<(Bytes value) { return *this << value.count; }
  template <class Tag>
  CsvWriter& operator<<(Id<Tag> id) {
    return id.valid() ? put("{}", id.value) : skip();
  }
  CsvWriter& operator<<(std::string_view text);

  CsvWriter& skip();  ///< an empty field
  void end_row();
  void commit();

 private:
  template <class Value>
  CsvWriter& put(fmt::format_string<const Value&> format, const Value& value) {
    separate();
    fmt::format_to(std::back_inserter(buffer_), format, value);
    return *this;
  }
  void separate();

  FileWriter file_;
  fmt::memory_buffer buffer_;
  bool row_started_ = false;
};

}  // namespace pipegraph
