// A folder through which communicators of several processes meet: a file for everything that one
// rank gives another. Slow and simple; for tests of real ranks.
#pragma once

#include <optional>
#include <string>
#include <vector>

namespace pipegraph::cuda_stand_in {

class SharedFolder {
 public:
  /// Empty: there is none, communicators are of this process.
  explicit SharedFolder(std::string path) : path_(std::move(path)) {}
  bool in_use() const { return !path_.empty(); }

  /// Whoever sees the file sees all of it.
  void put(const std::string& name, const std::vector<char>& bytes) const;
  bool has(const std::string& name) const;
  /// Nothing if there is no such file.
  std::optional<std::vector<char>> get(const std::string& name) const;
  /// From then on has(taken(name)) holds for whoever put it.
  void take(const std::string& name) const;
  static std::string taken(const std::string& name) { return name + ".taken"; }

 private:
  std::string file(const std::string& name) const { return path_ + "/" + name; }
  std::string path_;
};

}  // namespace pipegraph::cuda_stand_in
