// The folder that training writes to: loss.csv and checkpoints/. One run at a time, and never over
// the checkpoints of another training.
#pragma once

#include <filesystem>
#include <optional>

namespace pipegraph {

class TrainingFolder {
 public:
  /// Makes the folder and holds it until destroyed. `resumed_from` is the manifest that training
  /// continues. Errors: ConfigError if another process holds it, if it has checkpoints and training
  /// does not continue the latest of them; MachineError if it cannot be made or written to.
  TrainingFolder(const std::filesystem::path& folder,
                 const std::optional<std::filesystem::path>& resumed_from);
  TrainingFolder(const TrainingFolder&) = delete;
  TrainingFolder& operator=(const TrainingFolder&) = delete;
  ~TrainingFolder();

  static std::filesystem::path checkpoints_in(const std::filesystem::path& folder);
  static std::filesystem::path loss_file_in(const std::filesystem::path& folder);

 private:
  int lock_ = -1;
};

}  // namespace pipegraph
