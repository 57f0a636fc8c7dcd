#include "models/importers/pipedream_lines.h"

#include <fmt/format.h>

#include <array>
#include <charconv>
#include <cmath>
#include <optional>

#include "models/importers/measured_work.h"

namespace pipegraph {
namespace {

constexpr std::string_view k_separator = " -- ";
constexpr std::array<std::string_view, 4> k_fields{"forward_compute_time", "backward_compute_time",
                                                   "activation_size", "parameter_size"};

/// A piece of a line that knows where it stands.
class Piece {
 public:
  Piece(std::string_view text, const std::string& file, int line, int column)
      : text_(text), file_(&file), line_(line), column_(column) {}

  std::string_view text() const { return text_; }
  SourcePosition position(const std::string& key = "") const {
    return {*file_, line_, column_, key};
  }
  Piece part(std::size_t begin, std::size_t count = std::string_view::npos) const {
    return {text_.substr(begin, count), *file_, line_, column_ + static_cast<int>(begin)};
  }
  Piece trimmed() const {
    const std::size_t begin = std::min(text_.find_first_not_of(" \r"), text_.size());
    const std::size_t end = text_.find_last_not_of(" \r");
    return part(begin, end == std::string_view::npos ? 0 : end + 1 - begin);
  }
  std::vector<Piece> split(std::string_view separator) const {
    std::vector<Piece> parts;
    std::size_t begin = 0;
    while (true) {
      const std::size_t end = text_.find(separator, begin);
      parts.push_back(part(begin, end == std::string_view::npos ? end : end - begin));
      if (end == std::string_view::npos) return parts;
      begin = end + separator.size();
    }
  }
  [[noreturn]] void fail(const std::string& problem, const std::string& expected,
                         const std::string& key = "") const {
    throw ConfigError(position(key), problem, expected);
  }

 private:
  std::string_view text_;
  const std::string* file_;
  int line_;
  int column_;
};

double read_number(const Piece& piece, const std::string& key) {
  const std::string_view text = piece.text();
  double value = 0.0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (text.empty() || end != text.data() + text.size() || error == std::errc::invalid_argument)
    piece.fail(fmt::format("'{}' is not a number", text), "a number without a unit", key);
  if (error != std::errc{} || !(value >= 0.0) || value > k_most_imported)
    piece.fail(fmt::format("{} is out of range", text),
               fmt::format("a number from 0 to {:g}", k_most_imported), key);
  return value;
}

/// A number, or the sum of "[a; b; c]".
double read_sizes(const Piece& piece, const std::string& key) {
  const std::string_view text = piece.text();
  if (!text.starts_with('[')) return read_number(piece, key);
  if (!text.ends_with(']')) piece.fail("'[' without ']'", "[a; b; ...]", key);
  double sum = 0.0;
  for (const Piece& item : piece.part(1, text.size() - 2).split(";"))
    sum += read_number(item.trimmed(), key);
  return sum;
}

/// "name=value, name=value, ...".
void read_fields(const Piece& fields, ProfiledNode& node) {
  std::array<std::optional<double>, k_fields.size()> values;
  for (const Piece& padded : fields.split(",")) {
    const Piece field = padded.trimmed();
    const std::size_t equals = field.text().find('=');
    std::size_t i = 0;
    while (i < k_fields.size() && field.text().substr(0, equals) != k_fields[i]) ++i;
    if (equals == std::string_view::npos || i == k_fields.size())
      field.fail(fmt::format("unknown field '{}'", field.text()),
                 fmt::format("{}",
                             "forward_compute_time=, backward_compute_time=, "
                             "activation_size= and parameter_size="));
    const std::string key(k_fields[i]);
    if (values[i]) field.fail("given twice", "each field once", key);
    values[i] = read_sizes(field.part(equals + 1).trimmed(), key);
  }
  for (std::size_t i = 0; i < k_fields.size(); ++i)
    if (!values[i]) fields.fail(fmt::format("missing field '{}'", k_fields[i]), "all four fields");
  node.forward_ms = *values[0];
  node.backward_ms = *values[1];
  node.activation_bytes = *values[2];
  node.parameter_bytes = *values[3];
}

std::string read_id(const Piece& piece) {
  const Piece id = piece.trimmed();
  if (id.text().empty()) id.fail("no node", "the name of a node");
  return std::string(id.text());
}

ProfiledEdge read_edge(const Piece& line) {
  const std::vector<Piece> parts = line.split("--");
  if (parts.size() != 2) line.fail("not an edge", "<tab>SOURCE -- DESTINATION");
  return {read_id(parts[0]), read_id(parts[1]), line.position()};
}

ProfiledNode read_node(const Piece& line) {
  const std::vector<Piece> parts = line.split(k_separator);
  const bool staged = parts.size() == 4 && parts[3].text().starts_with("stage_id=");
  if (parts.size() != 3 && !staged)
    line.fail("neither a node nor an edge",
              "ID -- DESCRIPTION -- FIELDS, or <tab>SOURCE -- DESTINATION");
  ProfiledNode node;
  node.id = read_id(parts[0]);
  node.description = std::string(parts[1].trimmed().text());
  node.position = line.position();
  read_fields(parts[2], node);
  return node;
}

}  // namespace

ProfiledLines read_profiled_lines(std::string_view text, const std::string& file) {
  ProfiledLines lines;
  int number = 0;
  for (const Piece& found : Piece(text, file, 1, 1).split("\n")) {
    const Piece line(found.text(), file, ++number, 1);
    if (line.trimmed().text().empty()) continue;
    if (line.text().starts_with('\t'))
      lines.edges.push_back(read_edge(line.part(1)));
    else
      lines.nodes.push_back(read_node(line));
  }
  return lines;
}

}  // namespace pipegraph
