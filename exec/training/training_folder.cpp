#include "exec/training/training_folder.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/file.h>
#include <unistd.h>

#include <cerrno>
#include <system_error>

#include "core/base/errors.h"
#include "exec/training/checkpoint_folder.h"

namespace pipegraph {
namespace {

namespace fs = std::filesystem;

void check_continues(const fs::path& folder, const std::optional<fs::path>& resumed_from) {
  const std::vector<fs::path> manifests = manifests_in(TrainingFolder::checkpoints_in(folder));
  std::error_code ignored;
  if (manifests.empty()) return;
  if (!resumed_from)
    throw ConfigError({.file = manifests.front().string()},
                      "is a checkpoint of an earlier training, which would be lost",
                      "--resume to continue it, or another results folder (-o)");
  if (!fs::equivalent(manifests.front(), *resumed_from, ignored))
    throw ConfigError(
        {.file = manifests.front().string()},
        fmt::format("is another checkpoint than {}, and would be lost", resumed_from->string()),
        "to continue the latest checkpoint of the folder, that you remove it, or "
        "another results folder (-o)");
}

}  // namespace

fs::path TrainingFolder::checkpoints_in(const fs::path& folder) { return folder / "checkpoints"; }
fs::path TrainingFolder::loss_file_in(const fs::path& folder) { return folder / "loss.csv"; }

TrainingFolder::TrainingFolder(const fs::path& folder,
                               const std::optional<fs::path>& resumed_from) {
  const auto fail = [&](int error) {
    throw MachineError(fmt::format("{}: cannot be written to: {}", folder.string(),
                                   std::system_category().message(error)));
  };
  std::error_code failed;
  fs::create_directories(folder, failed);
  if (failed) fail(failed.value());
  lock_ = ::open((folder / "lock").c_str(), O_RDWR | O_CREAT | O_CLOEXEC, 0666);
  if (lock_ < 0) fail(errno);
  try {
    if (::flock(lock_, LOCK_EX | LOCK_NB) != 0)
      throw ConfigError({.file = folder.string()}, "another run is training into this folder",
                        "another results folder (-o), or to wait for its end");
    check_continues(folder, resumed_from);
  } catch (...) {
    ::close(lock_);
    throw;
  }
}

TrainingFolder::~TrainingFolder() { ::close(lock_); }

}  // namespace pipegraph
