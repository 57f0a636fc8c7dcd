#include "apps/text_table.h"

#include <algorithm>
#include <array>
#include <boost/program_options/value_semantic.hpp>
#include <nlohmann/json.hpp>
#include <utility>

#include "core/base/errors.h"

namespace pipegraph {
namespace {

const std::vector<std::string> k_formats{"table", "json", "csv"};

std::string csv_field(const std::string& text) {
  if (text.find_first_of(",\"\r\n") == std::string::npos) return text;
  std::string quoted = "\"";
  for (char c : text) quoted += c == '"' ? std::string("\"\"") : std::string(1, c);
  return quoted + '"';
}

std::string csv_row(const std::vector<std::string>& cells) {
  std::string row;
  for (std::size_t c = 0; c < cells.size(); ++c) row += (c > 0 ? "," : "") + csv_field(cells[c]);
  return row + '\n';
}

/// A cell as the number it shows; null if it is empty, a text if it is no number.
nlohmann::ordered_json json_number(const std::string& cell) {
  if (cell.empty()) return nullptr;
  auto number = nlohmann::ordered_json::parse(cell, nullptr, false);
  return number.is_number() ? number : nlohmann::ordered_json(cell);
}

}  // namespace

void add_format(Options& options) {
  namespace po = boost::program_options;
  options.add()("format", po::value<std::string>()->default_value("table")->value_name("FORMAT"),
                "table, json or csv");
}

OutputFormat format_of(const boost::program_options::variables_map& values) {
  return static_cast<OutputFormat>(choice_of(values, "format", k_formats));
}

std::size_t display_width(std::string_view text) {
  return static_cast<std::size_t>(std::count_if(text.begin(), text.end(), [](char c) {
    return (static_cast<unsigned char>(c) & 0xC0U) != 0x80U;
  }));
}

TextTable::TextTable(std::vector<Column> columns) : columns_(std::move(columns)) {}

void TextTable::add_row(std::vector<std::string> cells) {
  check(cells.size() == columns_.size(), "a row has as many cells as there are columns");
  rows_.push_back(std::move(cells));
}

std::string TextTable::text() const {
  std::vector<std::size_t> widths;
  for (std::size_t c = 0; c < columns_.size(); ++c) {
    std::size_t width = display_width(columns_[c].name);
    for (const auto& row : rows_) width = std::max(width, display_width(row[c]));
    widths.push_back(width);
  }
  std::string text;
  const auto append = [&](const auto& cell_of) {
    std::string line;
    for (std::size_t c = 0; c < columns_.size(); ++c) {
      const std::string cell = cell_of(c);
      const std::string padding(widths[c] - display_width(cell), ' ');
      if (c > 0) line += "  ";
      line += columns_[c].align == Align::Left ? cell + padding : padding + cell;
    }
    line.erase(line.find_last_not_of(' ') + 1);
    text += line + '\n';
  };
  append([&](std::size_t c) { return columns_[c].name; });
  append([&](std::size_t c) { return std::string(widths[c], '-'); });
  for (const auto& row : rows_) append([&](std::size_t c) { return row[c]; });
  return text;
}

std::string TextTable::json() const {
  auto list = nlohmann::ordered_json::array();
  for (const auto& row : rows_) {
    auto object = nlohmann::ordered_json::object();
    for (std::size_t c = 0; c < columns_.size(); ++c)
      object[columns_[c].name] =
          columns_[c].align == Align::Right ? json_number(row[c]) : nlohmann::ordered_json(row[c]);
    list.push_back(std::move(object));
  }
  return list.dump(2) + '\n';
}

std::string TextTable::in(OutputFormat format) const {
  switch (format) {
    case OutputFormat::Json:
      return json();
    case OutputFormat::Csv:
      return csv();
    case OutputFormat::Table:
      break;
  }
  return text();
}

std::string TextTable::csv() const {
  std::vector<std::string> names;
  for (const Column& column : columns_) names.push_back(column.name);
  std::string text = csv_row(names);
  for (const auto& row : rows_) text += csv_row(row);
  return text;
}

}  // namespace pipegraph
