// CSV: a header line that names the columns, then one sample a line. A field of one number is a
// column of its operator's name, others have columns "name[0]", "name[1]", ..., row by row.
#include <charconv>
#include <cmath>
#include <cstdlib>
#include <unordered_map>

#include "core/base/errors.h"
#include "core/base/files.h"
#include "exec/training/csv_line.h"
#include "exec/training/data_formats.h"

namespace pipegraph {
namespace {

class CsvData final : public DataFile {
 public:
  CsvData(const std::filesystem::path& path, std::span<const DataField> fields) : path_(path) {
    std::size_t operators = 0;
    for (const DataField& field : fields) operators = std::max(operators, field.op.index() + 1);
    reals_.resize(operators);
    wholes_.resize(operators);
    elements_.resize(operators);
    for (const DataField& field : fields) elements_[field.op.index()] = field.elements();
    const std::string text = read_file(path);
    CsvLines lines(text, path.string());
    find_columns(lines, fields);
    while (lines.next()) read_sample(lines);
  }

  std::int64_t samples() const override { return samples_; }
  void read(OperatorId op, std::int64_t first, std::span<float> into) const override {
    read_any(reals_[op.index()], elements_[op.index()], first, into);
  }
  void read(OperatorId op, std::int64_t first, std::span<std::int32_t> into) const override {
    read_any(wholes_[op.index()], elements_[op.index()], first, into);
  }

 private:
  struct Column {
    std::string name;
    const DataField* field = nullptr;
    std::size_t column = 0;  ///< of the line
  };

  void find_columns(CsvLines& lines, std::span<const DataField> fields) {
    if (!lines.next())
      throw ConfigError({.file = path_.string()}, "is empty", "a header line, then samples");
    std::unordered_map<std::string, std::size_t> present;
    for (std::size_t i = 0; i < lines.fields().size(); ++i)
      if (!present.emplace(lines.fields()[i], i).second)
        lines.fail(i, fmt::format("there are two columns '{}'", lines.fields()[i]),
                   "one of each name");
    width_ = lines.fields().size();
    for (const DataField& field : fields)
      for (std::int64_t i = 0; i < field.elements(); ++i) {
        Column column{
            .name = field.elements() == 1 ? field.name : fmt::format("{}[{}]", field.name, i),
            .field = &field};
        const auto found = present.find(column.name);
        if (found == present.end()) fail_absent(column);
        column.column = found->second;
        columns_.push_back(std::move(column));
      }
  }

  [[noreturn]] void fail_absent(const Column& column) const {
    const DataField& field = *column.field;
    throw ConfigError({.file = path_.string(), .line = 1},
                      fmt::format("there is no column '{}'", column.name),
                      fmt::format("a CSV header with {} column(s) for the {} of '{}', or a tensor "
                                  "file",
                                  field.elements(), to_text(field.kind), field.name));
  }

  void read_sample(const CsvLines& lines) {
    if (lines.fields().size() != width_)
      lines.fail(lines.fields().size(), fmt::format("has {} fields", lines.fields().size()),
                 fmt::format("{}, as the header", width_));
    for (const Column& column : columns_) read_value(lines, column);
    // Its last number may have lost digits.
    if (!lines.ended())
      lines.fail(width_ - 1, "the last line has no end, as in a file that was cut off",
                 "a line end behind the last sample");
    ++samples_;
  }

  void read_value(const CsvLines& lines, const Column& column) {
    const DataField& field = *column.field;
    const std::string_view text = lines.fields()[column.column];
    const char* const end = text.data() + text.size();
    if (field.type() == ElementType::Float32) {
      double value = 0;
      auto [stop, error] = std::from_chars(text.data(), end, value);
      if (error == std::errc::result_out_of_range) {
        value = std::strtod(std::string(text).c_str(), nullptr);  // says on which side
        error = {};
      }
      const auto narrow = static_cast<float>(value);
      if (error != std::errc() || stop != end || !std::isfinite(narrow))
        lines.fail(column.column, fmt::format("'{}'", text), "a finite number");
      reals_[field.op.index()].push_back(narrow);
      return;
    }
    std::int32_t value = 0;
    const auto [stop, error] = std::from_chars(text.data(), end, value);
    if (error != std::errc() || stop != end || value < 0 || value >= field.below)
      lines.fail(column.column, fmt::format("'{}'", text),
                 fmt::format("a whole number, {}", range_text(field)));
    wholes_[field.op.index()].push_back(value);
  }

  template <class T>
  void read_any(const std::vector<T>& values, std::int64_t elements, std::int64_t first,
                std::span<T> into) const {
    read_repeating(samples_, first, elements, into, [&](std::int64_t sample, std::span<T> part) {
      const auto from = values.begin() + sample * elements;
      std::copy_n(from, part.size(), part.begin());
    });
  }

  std::filesystem::path path_;
  std::size_t width_ = 0;
  std::int64_t samples_ = 0;
  std::vector<Column> columns_;
  std::vector<std::int64_t> elements_;             ///< per sample, by operator
  std::vector<std::vector<float>> reals_;          ///< by operator
  std::vector<std::vector<std::int32_t>> wholes_;  ///< by operator
};

}  // namespace

std::unique_ptr<DataFile> read_csv_data(const std::filesystem::path& path,
                                        std::span<const DataField> fields) {
  return std::make_unique<CsvData>(path, fields);
}

}  // namespace pipegraph
