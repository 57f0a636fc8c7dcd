#include "core/report/timeline_reader.h"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <cmath>
#include <limits>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "core/base/errors.h"
#include "core/base/files.h"
#include "core/report/window.h"

namespace pipegraph {
namespace {

/// The fields of a line; none of ours has a comma or a quote in it.
std::vector<std::string_view> fields_of(std::string_view line) {
  std::vector<std::string_view> fields;
  for (std::size_t at = 0;;) {
    const std::size_t end = line.find(',', at);
    fields.push_back(line.substr(at, end - at));
    if (end == std::string_view::npos) return fields;
    at = end + 1;
  }
}

template <class Number>
std::optional<Number> number(std::string_view text) {
  Number value{};
  const auto [last, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (error != std::errc{} || last != text.data() + text.size()) return std::nullopt;
  return value;
}

class TimelineReader {
 public:
  TimelineReader(const std::filesystem::path& path, const Program& program)
      : path_(path.string()), program_(program), text_(read_file(path)), timeline_(program.size()) {
    for (auto* times : {&timeline_.ready, &timeline_.start, &timeline_.end})
      times->assign(program.size(), Seconds{std::numeric_limits<double>::quiet_NaN()});
  }

  Timeline read() && {
    std::string_view rest = text_;
    while (!rest.empty()) {
      ++line_;
      const std::size_t end = rest.find('\n');
      if (end == std::string_view::npos) fail("the line does not end", "a whole file");
      const std::string_view line = rest.substr(0, end);
      line_ == 1 ? read_header(line) : read_row(line);
      rest.remove_prefix(end + 1);
    }
    if (line_ == 0) fail("the file is empty", "a header");
    check_whole();
    return std::move(timeline_);
  }

 private:
  [[noreturn]] void fail(const std::string& problem, const std::string& expected) const {
    throw ConfigError({.file = path_, .line = line_}, problem, expected);
  }

  /// A file that was cut between two lines reads like a whole one.
  void check_whole() const {
    const auto rows = static_cast<std::size_t>(line_ - 1);
    const std::size_t least = std::min(program_.size(), k_most_shown);
    if (rows < least)
      fail(fmt::format("the file was cut: it has {} instructions", rows),
           fmt::format("the whole file, {} or more", least));
  }

  void read_header(std::string_view line) {
    header_ = fields_of(line);
    instruction_ = column("instruction");
    kind_ = column("kind");
    ready_ = column("ready_s");
    start_ = column("start_s");
    end_ = column("end_s");
  }

  std::size_t column(std::string_view name) const {
    for (std::size_t i = 0; i < header_.size(); ++i)
      if (header_[i] == name) return i;
    fail(fmt::format("there is no column '{}'", name), "the columns of docs/file_formats.md");
  }

  void read_row(std::string_view line) {
    const std::vector<std::string_view> fields = fields_of(line);
    if (fields.size() != header_.size())
      fail(fmt::format("{} fields", fields.size()), fmt::format("{}", header_.size()));
    const auto id = number<std::int32_t>(fields[instruction_]);
    if (!id || *id < 0 || static_cast<std::size_t>(*id) >= program_.size())
      fail(fmt::format("instruction '{}' is not one of this plan's {}", fields[instruction_],
                       program_.size()),
           "the timeline of this plan");
    const auto i = static_cast<std::size_t>(*id);
    if (fields[kind_] != to_text(program_.instructions()[i].kind))
      fail(fmt::format("instruction {} is a {}", i, fields[kind_]),
           fmt::format("{}, as in the plan", to_text(program_.instructions()[i].kind)));
    if (!std::isnan(timeline_.end[i].count())) fail(fmt::format("instruction {} again", i), "once");
    timeline_.ready[i] = time(fields[ready_]);
    timeline_.start[i] = time(fields[start_]);
    timeline_.end[i] = time(fields[end_]);
  }

  Seconds time(std::string_view field) const {
    const auto value = number<double>(field);
    if (!value || !std::isfinite(*value)) fail(fmt::format("'{}' is no time", field), "seconds");
    return Seconds{*value};
  }

  std::string path_;
  const Program& program_;
  std::string text_;
  Timeline timeline_;
  int line_ = 0;
  std::vector<std::string_view> header_;
  std::size_t instruction_ = 0, kind_ = 0, ready_ = 0, start_ = 0, end_ = 0;
};

}  // namespace

Timeline read_timeline_csv(const std::filesystem::path& path, const Program& program) {
  return TimelineReader(path, program).read();
}

}  // namespace pipegraph
