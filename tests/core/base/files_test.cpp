// Files are whole or untouched, also on a full disk.
#include "core/base/files.h"

#include <gtest/gtest.h>
#include <sys/resource.h>

#include <csignal>
#include <cstdlib>
#include <functional>

#include "core/base/errors.h"

namespace pipegraph {
namespace {

namespace fs = std::filesystem;

/// A folder of its own for each test.
class Files : public ::testing::Test {
 protected:
  Files() {
    std::string name = (fs::temp_directory_path() / "pipegraph_files_XXXXXX").string();
    folder_ = ::mkdtemp(name.data());
  }
  ~Files() override { fs::remove_all(folder_); }
  Files(const Files&) = delete;
  Files& operator=(const Files&) = delete;

  fs::path path(const std::string& name) const { return folder_ / name; }
  std::ptrdiff_t count() const {
    return std::distance(fs::directory_iterator(folder_), fs::directory_iterator{});
  }

 private:
  fs::path folder_;
};

template <class Error>
std::string message_of(const std::function<void()>& action) {
  try {
    action();
  } catch (const Error& error) {
    return error.what();
  }
  return "no error";
}

/// Files of this process may not grow beyond a size, as if the disk were full.
class SizeLimit {
 public:
  explicit SizeLimit(rlim_t bytes) : old_handler_(std::signal(SIGXFSZ, SIG_IGN)) {
    ::getrlimit(RLIMIT_FSIZE, &old_);
    const rlimit limit{bytes, old_.rlim_max};
    ::setrlimit(RLIMIT_FSIZE, &limit);
  }
  SizeLimit(const SizeLimit&) = delete;
  SizeLimit& operator=(const SizeLimit&) = delete;
  ~SizeLimit() {
    ::setrlimit(RLIMIT_FSIZE, &old_);
    std::signal(SIGXFSZ, old_handler_);
  }

 private:
  rlimit old_{};
  void (*old_handler_)(int);
};

TEST_F(Files, ReadBackWhatWasWritten) {
  const std::string content("a\0b\n\xff", 5);
  write_file(path("file"), content);
  EXPECT_EQ(read_file(path("file")), content);
  write_file(path("file"), "");
  EXPECT_EQ(read_file(path("file")), "");
  EXPECT_EQ(count(), 1);
}

TEST_F(Files, AFullDiskLeavesTheOldFileAndNoTemporary) {
  write_file(path("file"), "old");
  std::string message;
  {
    const SizeLimit full(1000);
    message =
        message_of<MachineError>([&] { write_file(path("file"), std::string(100'000, 'x')); });
  }
  EXPECT_EQ(message, path("file").string() + ": cannot be written: File too large");
  EXPECT_EQ(read_file(path("file")), "old");
  EXPECT_EQ(count(), 1);
}

TEST_F(Files, AMissingFolderIsNamed) {
  EXPECT_EQ(message_of<MachineError>([&] { write_file(path("no/file"), "x"); }),
            path("no/file").string() +
                ": cannot be written: No such file or directory; expected a path in a folder that "
                "exists");
}

TEST_F(Files, AFolderIsNotReplacedByAFile) {
  fs::create_directory(path("folder"));
  EXPECT_EQ(
      message_of<MachineError>([&] { write_file(path("folder"), "x"); }),
      path("folder").string() +
          ": cannot be written: Is a directory; expected the path of a file, not of a folder");
  EXPECT_EQ(count(), 1);
}

TEST_F(Files, AFullDeviceIsAnErrorAndStaysADevice) {
  ASSERT_TRUE(fs::is_character_file("/dev/full"));
  EXPECT_EQ(message_of<MachineError>([] { write_file("/dev/full", "x"); }),
            "/dev/full: cannot be written: No space left on device; expected free space there");
  EXPECT_TRUE(fs::is_character_file("/dev/full"));
}

TEST_F(Files, ALinkIsFollowed) {
  write_file(path("target"), "old");
  fs::create_symlink("target", path("link"));
  write_file(path("link"), "new");
  EXPECT_TRUE(fs::is_symlink(path("link")));
  EXPECT_EQ(read_file(path("target")), "new");
}

TEST_F(Files, PiecesAppearTogetherAtTheCommit) {
  FileWriter file(path("pieces"));
  file.append("one ");
  file.append("two");
  EXPECT_FALSE(std::filesystem::exists(path("pieces")));
  file.commit();
  EXPECT_EQ(read_file(path("pieces")), "one two");
}

TEST_F(Files, WithoutACommitNothingStays) {
  { FileWriter(path("abandoned")).append("half"); }
  EXPECT_EQ(count(), 0);
}

TEST_F(Files, ReadingWhatIsNotThereNamesIt) {
  EXPECT_EQ(
      message_of<ConfigError>([&] { read_file(path("none")); }),
      path("none").string() +
          ": cannot be read: No such file or directory; expected the path of a readable file");
  EXPECT_EQ(
      message_of<ConfigError>([&] { read_file(path("")); }),
      path("").string() + ": cannot be read: Is a directory; expected the path of a readable file");
}

TEST_F(Files, ReadingStopsAtALimit) {
  EXPECT_EQ(message_of<ConfigError>([] { read_file("/dev/zero", 1 << 20); }),
            "/dev/zero: is too large; expected a file of at most 1048576 bytes");
}

}  // namespace
}  // namespace pipegraph
