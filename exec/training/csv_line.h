// A CSV text line by line: fields between commas, blanks around them dropped, double quotes where a
// field needs them. A field does not span lines.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

namespace pipegraph {

class CsvLines {
 public:
  /// `text` must outlive it; `file` is its name in errors.
  CsvLines(std::string_view text, std::string file);

  /// Goes to the next line; false at the end. Errors: ConfigError for a quote out of place.
  bool next();
  const std::vector<std::string>& fields() const { return fields_; }
  /// Whether this line has an end: the last one of a file that was cut off may not.
  bool ended() const { return ended_; }
  /// The number of the line, from 1.
  int line() const { return line_; }
  /// Throws a ConfigError at a field of this line.
  [[noreturn]] void fail(std::size_t field, const std::string& problem,
                         const std::string& expected) const;

 private:
  std::size_t read_field(std::string_view line, std::size_t from);
  std::size_t read_quoted(std::string_view line, std::size_t from);

  std::string_view rest_;
  std::string file_;
  int line_ = 0;
  bool ended_ = true;
  std::vector<std::string> fields_;
  std::vector<int> columns_;        ///< where each field begins, from 1
  std::vector<std::string> names_;  ///< of the first line, for errors
};

}  // namespace pipegraph
