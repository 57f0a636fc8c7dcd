// The folder of a scenario's results: where each file lies, and whose folder it is.
#pragma once

#include <filesystem>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "core/base/folder_lock.h"
#include "core/report/plan_result.h"
#include "core/report/tables.h"

namespace pipegraph {

/// A plan's name as the name of a folder: bytes outside [A-Za-z0-9_.-] as %XX, a leading dot too.
std::string folder_name(std::string_view plan);

/// Checkpoints and losses of training lie here: written while a run goes on, and never replaced by
/// the results of another.
inline constexpr const char* k_training_folder = "training";

/// What has to go when a run ends without results.
struct Leftovers {
  std::filesystem::path part;       ///< the unfinished results
  std::filesystem::path all;        ///< instead, if it is not empty and ...
  std::filesystem::path keeps_all;  ///< ... this does not exist
  /// Folders made for it, innermost first; then they go as far as nothing else is in them.
  std::vector<std::filesystem::path> parents;
};

/// Files gather inside the folder, hidden, until commit() puts them in the place of an earlier
/// run's. Without commit() nothing changes, and a folder that did not exist before is gone again
/// (unless training has written to it).
class ResultsFolder {
 public:
  /// Errors: ConfigError if `folder` exists, is not empty and has no mark of ours, is no folder, or
  /// another run is writing to it.
  static ResultsFolder create(const std::filesystem::path& folder);
  ResultsFolder(const ResultsFolder&) = delete;
  ResultsFolder& operator=(const ResultsFolder&) = delete;
  ~ResultsFolder();

  /// Where files are to be written until commit().
  const std::filesystem::path& path() const { return staging_; }
  Leftovers leftovers() const;
  /// Whether a run that was killed had left unfinished results, which are gone now.
  bool removed_unfinished() const { return removed_unfinished_; }
  /// Of a plan, made if it does not exist; `point` is its index in a sweep.
  std::filesystem::path plan_folder(std::string_view plan,
                                    std::optional<std::size_t> point = {}) const;
  /// summary.json and results.csv.
  void write_summary(const std::string& scenario, const std::vector<PointResult>& points) const;
  /// Call it once, last. The results are on the medium before an earlier run's are removed.
  void commit();

 private:
  enum class Origin : std::uint8_t { Existed, Made };
  ResultsFolder(std::filesystem::path target, Origin origin);
  void open_staging();
  void abandon() const;

  std::filesystem::path target_;
  std::filesystem::path staging_;
  Origin origin_;
  std::vector<std::filesystem::path> made_parents_;  ///< innermost first
  bool removed_unfinished_ = false;
  bool committed_ = false;
  std::optional<FolderLock> lock_;  ///< of the staging folder; empty until it is ours
};

/// All files of a plan's folder but plan.yaml.
void write_run(const std::filesystem::path& plan_folder, const RunReport& report,
               TimelineRows rows = TimelineRows::Window);

}  // namespace pipegraph
