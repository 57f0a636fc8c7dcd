// Runs the command line in this process, in a folder of its own with a small scenario.
#pragma once

#include <gtest/gtest.h>

#include <filesystem>
#include <string>
#include <vector>

namespace pipegraph::test {

struct Ran {
  int code = 0;
  std::string out;
  std::string err;
};

/// `pipegraph WORDS...`.
Ran run(const std::vector<std::string>& words);

/// The folder is the working directory while a test runs, and removed at its end.
class Workbench : public ::testing::Test {
 protected:
  Workbench();
  ~Workbench() override;
  Workbench(const Workbench&) = delete;
  Workbench& operator=(const Workbench&) = delete;

  /// Writes `branches.yaml`: the two branches of models/two_branches.yaml on eight ideal devices,
  /// eight samples one by one, as a graph of eight stages and as the chain a1 a2 a3 b1 b2 b3 b4 a4.
  /// On SimGrid where it is built in, else on the analytic backend. `more` is appended.
  void write_branches(const std::string& more = "") const;
  /// Writes `tower.yaml`: a perceptron of 8 features, 16 hidden and 2 outputs on two devices, eight
  /// samples, optimizer momentum, with the plans "two" (two by two samples through two stages),
  /// "turned" (the same on the devices the other way round) and "replicas" (one stage on both).
  void write_tower() const;
  bool exists(const std::string& path) const { return std::filesystem::exists(path); }

 private:
  std::filesystem::path folder_;
  std::filesystem::path before_;
};

}  // namespace pipegraph::test
