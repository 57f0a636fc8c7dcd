// The folder of a scenario's results: where each file lies, and whose folder it is.
#pragma once

#include <filesystem>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "core/report/plan_result.h"
#include "core/report/tables.h"

namespace pipegraph {

/// A plan's name as the name of a folder: bytes outside [A-Za-z0-9_.-] as %XX, a leading dot too.
std::string folder_name(std::string_view plan);

class ResultsFolder {
 public:
  /// Makes the folder, empty but for its mark; what an earlier run left there is removed. Errors:
  /// ConfigError if it exists, is not empty and has no mark of ours, or is no folder.
  static ResultsFolder create(const std::filesystem::path& folder);

  const std::filesystem::path& path() const { return path_; }
  /// Of a plan, made if it does not exist; `point` is its index in a sweep.
  std::filesystem::path plan_folder(std::string_view plan,
                                    std::optional<std::size_t> point = {}) const;
  /// summary.json and results.csv. Call it last.
  void write_summary(const std::string& scenario, const std::vector<PointResult>& points) const;

 private:
  explicit ResultsFolder(std::filesystem::path path) : path_(std::move(path)) {}
  std::filesystem::path path_;
};

/// All files of a plan's folder but plan.yaml.
void write_run(const std::filesystem::path& plan_folder, const RunReport& report,
               TimelineRows rows = TimelineRows::Window);

}  // namespace pipegraph
