// Writing files so that a killed run or a full disk never leaves half of one.
#pragma once

#include <cstdint>
#include <filesystem>
#include <string>
#include <string_view>

namespace pipegraph {

/// Writes `content` under a temporary name in the same folder and renames it to `path`; a symbolic
/// link is followed, a device or pipe is written into. Survives a kill at any moment, not a power
/// cut: a sweep writes thousands of files, so whoever needs that waits once for all of them
/// (FolderLock::wait_for_medium).
/// Errors: MachineError naming the path and the system's reason; the old file is then untouched
/// and no temporary file is left.
void write_file(const std::filesystem::path& path, std::string_view content);

inline constexpr std::uint64_t k_any_size = ~std::uint64_t{0};

/// The same in pieces, for files too large to hold in memory. Without commit() nothing stays
/// behind.
class FileWriter {
 public:
  explicit FileWriter(std::filesystem::path path);
  FileWriter(const FileWriter&) = delete;
  FileWriter& operator=(const FileWriter&) = delete;
  ~FileWriter();

  void append(std::string_view content);
  /// Returns once what was appended is on the disk: with commit() and sync_folder() after it, the
  /// file survives a power cut, too.
  void sync();
  /// Gives the file its name. Call it once, last.
  void commit();

 private:
  [[noreturn]] void fail(int error);

  std::filesystem::path path_;
  std::string temporary_;  ///< empty: written in place (a device or pipe)
  std::string target_;
  int descriptor_ = -1;
};

/// Returns once the names in `folder` are on the disk. Errors: MachineError.
void sync_folder(const std::filesystem::path& folder);

/// A whole file. Errors: ConfigError if it cannot be read, is a folder, or has more than `most`
/// bytes.
std::string read_file(const std::filesystem::path& path, std::uint64_t most = k_any_size);

}  // namespace pipegraph
