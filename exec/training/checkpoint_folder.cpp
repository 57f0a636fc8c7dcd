#include "exec/training/checkpoint_folder.h"

#include <fmt/format.h>

#include <algorithm>
#include <functional>
#include <optional>
#include <set>
#include <system_error>

#include "core/base/errors.h"
#include "core/base/files.h"
#include "exec/training/checkpoint_parts.h"

namespace pipegraph {
namespace {

namespace fs = std::filesystem;

constexpr std::string_view k_prefix = "step_";
constexpr std::string_view k_manifest_ending = ".json";

std::string step_name(std::int64_t step) { return fmt::format("{}{:08}", k_prefix, step); }

/// Step of "step_00000020.json" (any number of digits), or nothing.
std::optional<std::int64_t> step_of(const std::string& name) {
  if (!name.starts_with(k_prefix) || !name.ends_with(k_manifest_ending)) return std::nullopt;
  const std::string digits =
      name.substr(k_prefix.size(), name.size() - k_prefix.size() - k_manifest_ending.size());
  if (digits.empty() || digits.size() > 18) return std::nullopt;
  if (digits.find_first_not_of("0123456789") != std::string::npos) return std::nullopt;
  return std::stoll(digits);
}

std::vector<std::string> names_in(const fs::path& folder) {
  std::vector<std::string> names;
  std::error_code failed;
  for (fs::directory_iterator entry(folder, failed), end; !failed && entry != end;
       entry.increment(failed))
    names.push_back(entry->path().filename().string());
  return names;
}

/// A name that no file of an earlier attempt at this step begins with.
std::string fresh_name(const fs::path& folder, std::int64_t step) {
  const std::vector<std::string> names = names_in(folder);
  for (int attempt = 0;; ++attempt) {
    std::string candidate = fmt::format("{}-{}.", step_name(step), attempt);
    if (std::none_of(names.begin(), names.end(),
                     [&](const std::string& name) { return name.starts_with(candidate); }))
      return candidate;
  }
}

void make_folder(const fs::path& folder) {
  std::error_code failed;
  fs::create_directories(folder, failed);
  if (failed)
    throw MachineError(fmt::format("{}: cannot be made: {}", folder.string(), failed.message()));
}

/// Whatever no kept manifest names: older checkpoints, and remains of attempts that were cut off.
/// A file that cannot be removed does no harm.
void remove_superseded(const fs::path& folder) {
  const std::vector<fs::path> manifests = manifests_in(folder);
  std::set<std::string> kept;
  for (std::size_t i = 0; i < manifests.size(); ++i) {
    std::error_code ignored;
    if (i >= k_checkpoints_kept) {
      fs::remove(manifests[i], ignored);
      continue;
    }
    try {
      for (const std::string& file : read_manifest(manifests[i]).files) kept.insert(file);
    } catch (const ConfigError&) {
      return;  // damaged: what it named is not known, so nothing is removed
    }
  }
  for (const std::string& name : names_in(folder)) {
    std::error_code ignored;
    if (name.starts_with(k_prefix) && !step_of(name) && !kept.contains(name))
      fs::remove(folder / name, ignored);
  }
}

/// Does `action` on this rank and tells the others; all fail if one does. Returns their texts.
std::vector<std::string> together(Ranks& ranks, const std::function<std::string()>& action) {
  std::string mine;
  try {
    mine = "+" + action();
  } catch (const std::exception& error) {
    mine = std::string("-") + error.what();
  }
  std::vector<std::string> texts = ranks.all_gather(mine);
  for (std::size_t rank = 0; rank < texts.size(); ++rank) {
    if (texts[rank].starts_with('-'))
      throw MachineError(ranks.size() == 1
                             ? texts[rank].substr(1)
                             : fmt::format("rank {}: {}", rank, texts[rank].substr(1)));
    texts[rank].erase(0, 1);
  }
  return texts;
}

}  // namespace

std::vector<fs::path> manifests_in(const fs::path& folder) {
  std::vector<std::pair<std::int64_t, std::string>> found;
  for (std::string& name : names_in(folder))
    if (const auto step = step_of(name)) found.emplace_back(*step, std::move(name));
  std::sort(found.rbegin(), found.rend());
  std::vector<fs::path> manifests;
  for (const auto& [step, name] : found) manifests.push_back(folder / name);
  return manifests;
}

fs::path find_manifest(const fs::path& manifest_or_folder) {
  std::error_code ignored;
  if (fs::is_regular_file(manifest_or_folder, ignored)) return manifest_or_folder;
  for (const fs::path inside : {"", "checkpoints", "training/checkpoints"})
    if (const auto manifests = manifests_in(manifest_or_folder / inside); !manifests.empty())
      return manifests.front();
  throw ConfigError({.file = manifest_or_folder.string()}, "holds no checkpoint",
                    "a results folder with checkpoints, a folder with files step_*.json, or one of "
                    "them");
}

void write_checkpoint(const fs::path& folder, const TrainingPoint& point,
                      const TrainingState& state, Ranks& ranks) {
  const std::string prefix = together(ranks, [&]() -> std::string {
    if (ranks.rank() != 0) return "";
    make_folder(folder);
    return fresh_name(folder, point.step);
  })[0];
  const std::string own_file = fmt::format("{}{}.tensors", prefix, ranks.rank());
  try {
    const std::vector<std::string> parts =
        together(ranks, [&] { return write_part(folder / own_file, state); });
    together(ranks, [&]() -> std::string {
      if (ranks.rank() != 0) return "";
      sync_folder(folder);
      FileWriter manifest(folder / (step_name(point.step) + std::string(k_manifest_ending)));
      manifest.append(manifest_text(merge_parts(point, prefix, parts)));
      manifest.sync();
      manifest.commit();
      sync_folder(folder);
      return "";
    });
  } catch (const MachineError& error) {
    if (ranks.rank() == 0) remove_superseded(folder);
    throw MachineError(fmt::format("the checkpoint of step {} could not be written: {}", point.step,
                                   error.what()));
  }
  if (ranks.rank() == 0) remove_superseded(folder);
}

}  // namespace pipegraph
