#include "exec/training/csv_line.h"

#include <utility>

#include "core/base/errors.h"

namespace pipegraph {
namespace {

std::string_view without_blanks(std::string_view text) {
  const std::size_t first = text.find_first_not_of(" \t");
  if (first == std::string_view::npos) return {};
  return text.substr(first, text.find_last_not_of(" \t") - first + 1);
}

}  // namespace

CsvLines::CsvLines(std::string_view text, std::string file) : rest_(text), file_(std::move(file)) {
  if (rest_.starts_with("\xEF\xBB\xBF")) rest_.remove_prefix(3);  // some spreadsheets begin so
}

bool CsvLines::next() {
  if (rest_.empty()) return false;
  if (line_ == 1) names_ = fields_;
  ++line_;
  const std::size_t end = rest_.find('\n');
  ended_ = end != std::string_view::npos;
  std::string_view line = rest_.substr(0, end);
  rest_.remove_prefix(ended_ ? end + 1 : rest_.size());
  if (line.ends_with('\r')) line.remove_suffix(1);
  fields_.clear();
  columns_.clear();
  for (std::size_t from = 0; from <= line.size();) from = read_field(line, from);
  return true;
}

/// Returns where the next field begins.
std::size_t CsvLines::read_field(std::string_view line, std::size_t from) {
  columns_.push_back(static_cast<int>(from) + 1);
  const std::size_t start = std::min(line.size(), line.find_first_not_of(" \t", from));
  if (start < line.size() && line[start] == '"') return read_quoted(line, start + 1);
  const std::size_t comma = std::min(line.size(), line.find(',', from));
  fields_.emplace_back(without_blanks(line.substr(from, comma - from)));
  return comma + 1;
}

std::size_t CsvLines::read_quoted(std::string_view line, std::size_t from) {
  std::string& field = fields_.emplace_back();
  while (true) {
    const std::size_t quote = line.find('"', from);
    if (quote == std::string_view::npos)
      fail(fields_.size() - 1, "a quote is not closed on its line", "a second '\"'");
    field += line.substr(from, quote - from);
    from = quote + 1;
    if (from >= line.size() || line[from] != '"') break;
    field += '"';  // two quotes stand for one
    ++from;
  }
  const std::size_t comma = std::min(line.size(), line.find(',', from));
  if (!without_blanks(line.substr(from, comma - from)).empty())
    fail(fields_.size() - 1, "there is text behind a quoted field", "a comma");
  return comma + 1;
}

void CsvLines::fail(std::size_t field, const std::string& problem,
                    const std::string& expected) const {
  throw ConfigError({.file = file_,
                     .line = line_,
                     .column = field < columns_.size() ? columns_[field] : 0,
                     .key = field < names_.size() ? names_[field] : ""},
                    problem, expected);
}

}  // namespace pipegraph
