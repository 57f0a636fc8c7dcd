// loss.csv: a row per step, on the disk as soon as the step has ended, never half a row. A resumed
// run continues the file of the run before it.
#pragma once

#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>
#include <vector>

#include "core/base/units.h"

namespace pipegraph {

struct LossRow {
  std::int64_t step = 0;
  std::int64_t samples = 0;  ///< seen so far, those of this step included
  double loss = 0.0;         ///< sum over the network's losses
  std::optional<double> validation_loss;
  Seconds time{0};            ///< of the step, without validation and checkpoint
  std::vector<double> parts;  ///< of a network of several losses, each of them
};

/// Where a log begins: after `step` steps; `losses` are the names of the network's losses.
struct LossLogStart {
  std::int64_t step = 0;
  std::vector<std::string> losses;
};

class LossLog {
 public:
  /// Keeps the rows of an existing file up to and including start.step, whole ones only; others are
  /// dropped. Errors: ConfigError if the file has other columns, MachineError if it cannot be
  /// written, here and below.
  LossLog(std::filesystem::path path, const LossLogStart& start);
  LossLog(const LossLog&) = delete;
  LossLog& operator=(const LossLog&) = delete;
  ~LossLog();

  void append(const LossRow& row);
  /// How many of the steps before the first new row have none.
  std::int64_t missing() const { return missing_; }

 private:
  [[noreturn]] void fail(int error) const;

  std::filesystem::path path_;
  int descriptor_ = -1;
  std::int64_t missing_ = 0;
};

}  // namespace pipegraph
