// A folder of its own for each test, and what an action threw.
#pragma once

#include <gtest/gtest.h>

#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <functional>
#include <string>

#include "core/base/files.h"

namespace pipegraph::test {

class ScratchFolder : public ::testing::Test {
 protected:
  ScratchFolder() {
    std::string name =
        (std::filesystem::temp_directory_path() / "pipegraph_training_XXXXXX").string();
    folder_ = ::mkdtemp(name.data());
  }
  ~ScratchFolder() override { std::filesystem::remove_all(folder_); }
  ScratchFolder(const ScratchFolder&) = delete;
  ScratchFolder& operator=(const ScratchFolder&) = delete;

  const std::filesystem::path& folder() const { return folder_; }
  std::filesystem::path path(const std::string& name) const { return folder_ / name; }
  std::size_t files_in(const std::filesystem::path& where) const {
    return static_cast<std::size_t>(std::distance(std::filesystem::directory_iterator(where),
                                                  std::filesystem::directory_iterator{}));
  }

 private:
  std::filesystem::path folder_;
};

/// What the action threw as an `Error`, or a text that says it did not.
template <class Error>
std::string message_of(const std::function<void()>& action) {
  try {
    action();
  } catch (const Error& error) {
    return error.what();
  }
  return "nothing was thrown";
}

/// Flips a bit of the byte at `place` (from the end if negative), in place.
inline void damage(const std::filesystem::path& file, std::ptrdiff_t place) {
  std::fstream bytes(file, std::ios::in | std::ios::out | std::ios::binary);
  const auto from = place >= 0 ? std::ios::beg : std::ios::end;
  bytes.seekg(place, from);
  const char changed = static_cast<char>(bytes.get() ^ 1);
  bytes.seekp(place, from);
  bytes.put(changed);
}

}  // namespace pipegraph::test
