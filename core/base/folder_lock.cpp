#include "core/base/folder_lock.h"

#include <fcntl.h>
#include <sys/file.h>
#include <unistd.h>

#include <cerrno>
#include <system_error>
#include <utility>

#include "core/base/errors.h"

namespace pipegraph {
namespace {

[[noreturn]] void fail(const std::filesystem::path& folder, const char* problem) {
  throw MachineError(
      fmt::format("{}: {}: {}", folder.string(), problem, std::system_category().message(errno)));
}

}  // namespace

std::optional<FolderLock> FolderLock::take(const std::filesystem::path& folder) {
  const int descriptor = ::open(folder.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC);
  if (descriptor < 0) fail(folder, "cannot be opened");
  FolderLock lock(folder, descriptor);
  // A file system without locks lets every process in, as if it were alone.
  if (::flock(descriptor, LOCK_EX | LOCK_NB) != 0 && errno == EWOULDBLOCK) return std::nullopt;
  return lock;
}

FolderLock::FolderLock(std::filesystem::path folder, int descriptor)
    : folder_(std::move(folder)), descriptor_(descriptor) {}

FolderLock::FolderLock(FolderLock&& other) noexcept
    : folder_(std::move(other.folder_)), descriptor_(std::exchange(other.descriptor_, -1)) {}

FolderLock::~FolderLock() {
  if (descriptor_ >= 0) ::close(descriptor_);
}

void FolderLock::wait_for_medium() const {
  if (::syncfs(descriptor_) != 0 && errno != ENOSYS) fail(folder_, "cannot be written");
}

}  // namespace pipegraph
