// Tells a folder that a running process writes to from one that a killed process left behind.
#pragma once

#include <filesystem>
#include <optional>

namespace pipegraph {

/// Held by this process and those it forks; ends with the object or with the processes, however
/// they end.
class FolderLock {
 public:
  /// Nothing if another holder has the folder. Errors: MachineError if it cannot be opened.
  static std::optional<FolderLock> take(const std::filesystem::path& folder);
  FolderLock(FolderLock&& other) noexcept;
  FolderLock& operator=(FolderLock&&) = delete;
  FolderLock(const FolderLock&) = delete;
  FolderLock& operator=(const FolderLock&) = delete;
  ~FolderLock();

  /// Waits until every file written to the folder's file system is on its medium. One such wait is
  /// much cheaper than one for each file. Errors: MachineError.
  void wait_for_medium() const;

 private:
  FolderLock(std::filesystem::path folder, int descriptor);

  std::filesystem::path folder_;
  int descriptor_;
};

}  // namespace pipegraph
