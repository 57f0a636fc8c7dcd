#include "core/report/results_folder.h"

#include <fmt/format.h>

#include <iterator>
#include <nlohmann/json.hpp>
#include <system_error>

#include "core/base/errors.h"
#include "core/base/files.h"
#include "core/report/details.h"
#include "core/report/summary.h"
#include "core/report/trace.h"

namespace pipegraph {
namespace {

constexpr const char* k_mark_file = "pipegraph.json";
constexpr const char* k_staging_folder = ".partial";

bool is_ours(const std::filesystem::path& folder) {
  const std::filesystem::path mark = folder / k_mark_file;
  if (!std::filesystem::is_regular_file(mark)) return false;
  const auto json = nlohmann::json::parse(read_file(mark), nullptr, false);
  return json.is_object() && json.value("program", nlohmann::json()) == "pipegraph";
}

[[noreturn]] void fail_to_make(const std::filesystem::path& folder, const std::error_code& why) {
  throw MachineError(fmt::format("{}: cannot be made: {}; -o DIR names a place that can be written",
                                 folder.string(), why.message()));
}

/// Of `folder`'s parents those that do not exist, the innermost first.
std::vector<std::filesystem::path> missing_parents(const std::filesystem::path& folder) {
  std::vector<std::filesystem::path> missing;
  std::error_code ignored;
  for (auto parent = folder.parent_path();
       !parent.empty() && !std::filesystem::exists(parent, ignored); parent = parent.parent_path())
    missing.push_back(parent);
  return missing;
}

void make_folder(const std::filesystem::path& folder) {
  std::error_code failed;
  std::filesystem::create_directories(folder, failed);
  if (failed) fail_to_make(folder, failed);
}

void remove_tree(const std::filesystem::path& path) {
  std::error_code failed;
  std::filesystem::remove_all(path, failed);
  if (failed)
    throw MachineError(fmt::format("{}: cannot be removed: {}", path.string(), failed.message()));
}

void write_mark(const std::filesystem::path& folder) {
  const nlohmann::ordered_json mark{
      {"format", 1}, {"program", "pipegraph"}, {"version", PIPEGRAPH_VERSION}};
  write_file(folder / k_mark_file, mark.dump() + "\n");
}

FolderLock lock_folder(const std::filesystem::path& folder) {
  std::optional<FolderLock> lock = FolderLock::take(folder);
  if (!lock)
    throw ConfigError({.file = folder.parent_path().string()}, "another run is writing to it",
                      "another folder, or that run's end");
  return std::move(*lock);
}

std::vector<std::filesystem::path> entries_of(const std::filesystem::path& folder) {
  std::vector<std::filesystem::path> entries;
  for (const auto& entry : std::filesystem::directory_iterator(folder))
    entries.push_back(entry.path());
  return entries;
}

}  // namespace

std::string folder_name(std::string_view plan) {
  constexpr std::string_view k_plain =
      "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789_.-";
  std::string name;
  for (const char letter : plan) {
    if (k_plain.find(letter) != std::string_view::npos && !(name.empty() && letter == '.'))
      name += letter;
    else
      fmt::format_to(std::back_inserter(name), "%{:02X}", static_cast<unsigned char>(letter));
  }
  return name;
}

ResultsFolder ResultsFolder::create(const std::filesystem::path& folder) {
  std::error_code failed;
  const bool exists = std::filesystem::exists(folder, failed);
  if (failed) fail_to_make(folder, failed);
  if (exists && !std::filesystem::is_directory(folder))
    throw ConfigError({.file = folder.string()}, "is not a folder", "a folder for the results");
  if (exists && !std::filesystem::is_empty(folder) && !is_ours(folder))
    throw ConfigError({.file = folder.string()}, "is not empty and not of pipegraph's making",
                      "another folder, or an empty one");
  return ResultsFolder(folder, exists ? Origin::Existed : Origin::Made);
}

ResultsFolder::ResultsFolder(std::filesystem::path target, Origin origin)
    : target_(std::move(target)),
      staging_(target_ / k_staging_folder),
      origin_(origin),
      made_parents_(missing_parents(target_)) {
  try {
    make_folder(target_);
    if (!is_ours(target_)) write_mark(target_);  // a killed run leaves it ours
    open_staging();
  } catch (...) {
    abandon();
    throw;
  }
}

void ResultsFolder::open_staging() {
  if (std::filesystem::exists(staging_)) {
    const FolderLock unused = lock_folder(staging_);
    remove_tree(staging_);
    removed_unfinished_ = true;
  }
  make_folder(staging_);
  lock_.emplace(lock_folder(staging_));
  write_mark(staging_);
}

ResultsFolder::~ResultsFolder() {
  if (!committed_) abandon();
}

Leftovers ResultsFolder::leftovers() const {
  return {.part = staging_,
          .all = origin_ == Origin::Made ? target_ : std::filesystem::path(),
          .keeps_all = target_ / k_training_folder,
          .parents = made_parents_};
}

void ResultsFolder::abandon() const {
  std::error_code ignored;
  if (!lock_ && origin_ == Origin::Existed) return;
  const Leftovers left = leftovers();
  const bool all = !left.all.empty() && !std::filesystem::exists(left.keeps_all, ignored);
  std::filesystem::remove_all(all ? left.all : left.part, ignored);
  for (const std::filesystem::path& parent : left.parents)
    if (!std::filesystem::remove(parent, ignored)) return;
}

std::filesystem::path ResultsFolder::plan_folder(std::string_view plan,
                                                 std::optional<std::size_t> point) const {
  std::filesystem::path folder = staging_;
  if (point) folder /= fmt::format("points/{}", *point);
  folder /= std::filesystem::path("plans") / folder_name(plan);
  make_folder(folder);
  return folder;
}

void ResultsFolder::write_summary(const std::string& scenario,
                                  const std::vector<PointResult>& points) const {
  write_file(staging_ / "results.csv", results_csv(points));
  write_file(staging_ / "summary.json", summary_json(scenario, points));
}

void ResultsFolder::commit() {
  check(!committed_, "results are committed once");
  lock_->wait_for_medium();
  for (const std::filesystem::path& old : entries_of(target_))
    if (old != staging_ && old.filename() != k_mark_file && old.filename() != k_training_folder)
      remove_tree(old);
  for (const std::filesystem::path& entry : entries_of(staging_)) {
    std::error_code failed;
    std::filesystem::rename(entry, target_ / entry.filename(), failed);
    if (failed) fail_to_make(target_ / entry.filename(), failed);
  }
  remove_tree(staging_);
  committed_ = true;
}

void write_run(const std::filesystem::path& plan_folder, const RunReport& report,
               TimelineRows rows) {
  write_timeline_csv(plan_folder / "timeline.csv", report, rows);
  write_trace(plan_folder / "timeline.json", report);
  write_memory_csv(plan_folder / "memory.csv", report);
  write_stages_csv(plan_folder / "stages.csv", report);
  write_stage_edges_csv(plan_folder / "stage_edges.csv", report);
  write_links_csv(plan_folder / "links.csv", report);
  write_critical_path_csv(plan_folder / "critical_path.csv", report);
  write_file(plan_folder / "details.json", details_json(report));
}

}  // namespace pipegraph
