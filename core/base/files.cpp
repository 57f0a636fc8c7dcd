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

const char* remedy_of(int error) {
  switch (error) {
    case ENOENT:
      return "; expected a path in a folder that exists";
    case ENOTDIR:
      return "; expected a path whose folders are none of them files";
    case EISDIR:
      return "; expected the path of a file, not of a folder";
    case EACCES:
    case EPERM:
    case EROFS:
      return "; expected a path where this user may write";
    case ENOSPC:
    case EDQUOT:
      return "; expected free space there";
    default:
      return "";
  }
}

[[noreturn]] void fail_to_write(const std::filesystem::path& path, int error) {
  throw MachineError(fmt::format("{}: cannot be written: {}{}", path.string(), reason_of(error),
                                 remedy_of(error)));
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

FileWriter::FileWriter(std::filesystem::path path) : path_(std::move(path)) {
  const bool in_place = is_device_or_pipe(path_);
  target_ = in_place ? path_.string() : follow_link(path_).string();
  if (!in_place) temporary_ = fmt::format("{}.tmp{}", target_, ::getpid());
  const int flags = O_WRONLY | O_CLOEXEC | (in_place ? 0 : O_CREAT | O_TRUNC);
  descriptor_ = ::open((in_place ? target_ : temporary_).c_str(), flags, 0666);
  if (descriptor_ < 0) fail_to_write(path_, errno);
}

FileWriter::~FileWriter() {
  if (descriptor_ < 0) return;
  ::close(descriptor_);
  if (!temporary_.empty()) ::unlink(temporary_.c_str());
}

void FileWriter::fail(int error) {
  if (descriptor_ >= 0) ::close(std::exchange(descriptor_, -1));
  if (!temporary_.empty()) ::unlink(temporary_.c_str());
  fail_to_write(path_, error);
}

void FileWriter::append(std::string_view content) {
  check(descriptor_ >= 0, "a committed file is not written to");
  if (const int error = write_all(descriptor_, content)) fail(error);
}

void FileWriter::sync() {
  check(descriptor_ >= 0, "a committed file is not synced");
  // Devices and pipes have nothing to wait for.
  if (::fsync(descriptor_) != 0 && errno != EINVAL && errno != EROFS) fail(errno);
}

void FileWriter::commit() {
  check(descriptor_ >= 0, "a file is committed once");
  // Some file systems report a full disk only at the close.
  if (::close(std::exchange(descriptor_, -1)) != 0) fail(errno);
  if (!temporary_.empty() && ::rename(temporary_.c_str(), target_.c_str()) != 0) fail(errno);
}

void write_file(const std::filesystem::path& path, std::string_view content) {
  FileWriter file(path);
  file.append(content);
  file.commit();
}

void sync_folder(const std::filesystem::path& folder) {
  const Descriptor opened(::open(folder.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC));
  // Some file systems cannot sync a folder, and say so with EINVAL.
  if (opened.number() < 0 || (::fsync(opened.number()) != 0 && errno != EINVAL))
    fail_to_write(folder, errno);
}

std::string read_file(const std::filesystem::path& path, std::uint64_t most) {
  const auto fail = [&](const std::string& problem, const std::string& expected) {
    throw ConfigError({.file = path.empty() ? "''" : path.string()}, problem, expected);
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
