// Results as aligned columns for people, or as CSV.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "apps/options.h"

namespace pipegraph {

enum class OutputFormat : std::uint8_t { Table, Json, Csv };

/// Adds `--format table|json|csv`.
void add_format(Options& options);
OutputFormat format_of(const boost::program_options::variables_map& values);

class TextTable {
 public:
  enum class Align : std::uint8_t { Left, Right };
  struct Column {
    std::string name;
    Align align = Align::Right;
  };

  explicit TextTable(std::vector<Column> columns);
  /// As many cells as columns.
  void add_row(std::vector<std::string> cells);

  /// A header, a line of dashes, the rows; blanks at the ends of lines removed.
  std::string text() const;
  /// RFC 4180.
  std::string csv() const;
  /// A list of objects; cells of columns aligned right are numbers, empty ones null.
  std::string json() const;
  std::string in(OutputFormat format) const;

 private:
  std::vector<Column> columns_;
  std::vector<std::vector<std::string>> rows_;
};

/// Columns a terminal needs for a UTF-8 text: its code points.
std::size_t display_width(std::string_view text);

}  // namespace pipegraph
