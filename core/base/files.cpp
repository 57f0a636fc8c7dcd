// Plain POSIX calls: the streams of the standard library hide why a write failed.
#include "core/base/files.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <system_error>
#include <utility>

#include "core/base/errors.h"

namespace pipegraph {
namespace {

std::string reason_of(int error) { return std::system_category().message(error); }

[[noreturn]] void fail_to_write(const std::filesystem::path& path, int error) {
  throw MachineError(fmt::format("{}: cannot be written: {}", path.string(), reason_of(error)));
}

class Descriptor {
 public:
  explicit Descriptor(int number) : number_(number) {}
  Descriptor(const Descriptor&) = delete;
  Descriptor& operator=(const Descriptor&) = delete;
  ~Descriptor() {
    if (number_ >= 0) ::close(number_);
  }
  int number() const { return number_; }
  /// 0 or the error: some file systems report a full disk only here.
  int close() {
    const int result = ::close(std::exchange(number_, -1));
    return result == 0 ? 0 : errno;
  }

 private:
  int number_;
};

/// 0 or the error.
int write_all(int descriptor, std::string_view content) {
  while (!content.empty()) {
    const ssize_t written = ::write(descriptor, content.data(), content.size());
    if (written < 0 && errno == EINTR) continue;
    if (written < 0) return errno;
    content.remove_prefix(static_cast<std::size_t>(written));
  }
  return 0;
}

/// Writes and closes a new or existing file; 0 or the error.
int write_and_close(const std::string& name, int flags, std::string_view content) {
  Descriptor file(::open(name.c_str(), flags | O_WRONLY | O_CLOEXEC, 0666));
  if (file.number() < 0) return errno;
  const int written = write_all(file.number(), content);
  const int closed = file.close();
  return written != 0 ? written : closed;
}

bool is_device_or_pipe(const std::filesystem::path& path) {
  std::error_code ignored;
  const std::filesystem::file_status status = std::filesystem::status(path, ignored);
  return std::filesystem::is_other(status);
}

std::filesystem::path follow_link(const std::filesystem::path& path) {
  std::error_code failed;
  if (!std::filesystem::is_symlink(path, failed)) return path;
  const std::filesystem::path target = std::filesystem::weakly_canonical(path, failed);
  return failed ? path : target;
}

}  // namespace

void write_file(const std::filesystem::path& path, std::string_view content) {
  if (is_device_or_pipe(path)) {
    if (const int error = write_and_close(path.string(), 0, content)) fail_to_write(path, error);
    return;
  }
  const std::filesystem::path target = follow_link(path);
  const std::string temporary = fmt::format("{}.tmp{}", target.string(), ::getpid());
  int error = write_and_close(temporary, O_CREAT | O_TRUNC, content);
  if (error == 0 && ::rename(temporary.c_str(), target.c_str()) != 0) error = errno;
  if (error == 0) return;
  ::unlink(temporary.c_str());
  fail_to_write(path, error);
}

std::string read_file(const std::filesystem::path& path, std::uint64_t most) {
  const auto fail = [&](const std::string& problem, const std::string& expected) {
    throw ConfigError({.file = path.string()}, problem, expected);
  };
  Descriptor file(::open(path.c_str(), O_RDONLY | O_CLOEXEC));
  if (file.number() < 0)
    fail(fmt::format("cannot be read: {}", reason_of(errno)), "the path of a readable file");
  std::string content;
  std::array<char, 1 << 16> block{};
  while (true) {
    const ssize_t got = ::read(file.number(), block.data(), block.size());
    if (got < 0 && errno == EINTR) continue;
    if (got < 0)
      fail(fmt::format("cannot be read: {}", reason_of(errno)), "the path of a readable file");
    if (got == 0) return content;
    content.append(block.data(), static_cast<std::size_t>(got));
    if (content.size() > most)
      fail("is too large", fmt::format("a file of at most {} bytes", most));
  }
}

}  // namespace pipegraph
