#include "exec/training/loss_log.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <charconv>
#include <iterator>
#include <string_view>
#include <system_error>
#include <utility>

#include "core/base/errors.h"
#include "core/base/files.h"

namespace pipegraph {
namespace {

std::string quoted(const std::string& name) {
  if (name.find_first_of(",\"\r\n") == std::string::npos) return name;
  std::string text = "\"";
  for (const char letter : name) text += letter == '"' ? "\"\"" : std::string(1, letter);
  return text + '"';
}

std::string header_of(const std::vector<std::string>& losses) {
  std::string header = "step,samples,loss,validation_loss,seconds";
  if (losses.size() > 1)
    for (const std::string& name : losses) header += "," + quoted("loss_" + name);
  return header + "\n";
}

/// The header and the whole rows up to `last_step`, or nothing if it does not begin with the
/// header.
std::optional<std::string> kept_part(std::string_view text, const std::string& header,
                                     std::int64_t last_step) {
  if (!text.starts_with(header)) return std::nullopt;
  std::size_t end = header.size();
  while (true) {
    const std::size_t line_end = text.find('\n', end);
    std::int64_t step = 0;
    const auto parsed = std::from_chars(text.data() + end, text.data() + text.size(), step);
    if (line_end == std::string_view::npos || parsed.ec != std::errc() || step > last_step)
      return std::string(text.substr(0, end));
    end = line_end + 1;
  }
}

/// What the log holds before the first new row.
std::string beginning(const std::filesystem::path& path, const LossLogStart& start) {
  const std::string header = header_of(start.losses);
  std::error_code ignored;
  if (std::filesystem::is_other(std::filesystem::status(path, ignored)))
    throw ConfigError({.file = path.string()}, "is not a regular file", "a log of losses, or none");
  if (start.step == 0 || !std::filesystem::exists(path, ignored)) return header;
  const auto kept = kept_part(read_file(path), header, start.step);
  if (!kept)
    throw ConfigError(
        {.file = path.string(), .line = 1}, "does not continue this training",
        "the header " + header.substr(0, header.size() - 1) + ", or another results folder");
  return *kept;
}

}  // namespace

LossLog::LossLog(std::filesystem::path path, const LossLogStart& start) : path_(std::move(path)) {
  const std::string kept = beginning(path_, start);
  missing_ = start.step + 1 - std::ranges::count(kept, '\n');  // 1: the header
  write_file(path_, kept);
  descriptor_ = ::open(path_.c_str(), O_WRONLY | O_APPEND | O_CLOEXEC);
  if (descriptor_ < 0) fail(errno);
}

LossLog::~LossLog() {
  if (descriptor_ >= 0) ::close(descriptor_);
}

void LossLog::append(const LossRow& row) {
  std::string text = fmt::format("{},{},{},", row.step, row.samples, row.loss);
  if (row.validation_loss) fmt::format_to(std::back_inserter(text), "{}", *row.validation_loss);
  fmt::format_to(std::back_inserter(text), ",{:.6f}", row.time.count());
  if (row.parts.size() > 1)
    for (const double part : row.parts) fmt::format_to(std::back_inserter(text), ",{}", part);
  text += '\n';
  const off_t before = ::lseek(descriptor_, 0, SEEK_END);
  const ssize_t written = ::write(descriptor_, text.data(), text.size());
  if (written == static_cast<ssize_t>(text.size())) return;
  const int error = written < 0 ? errno : ENOSPC;
  if (::ftruncate(descriptor_, before) != 0) fail(errno);
  fail(error);
}

void LossLog::fail(int error) const {
  throw MachineError(fmt::format("{}: cannot be written: {}", path_.string(),
                                 std::system_category().message(error)));
}

}  // namespace pipegraph
