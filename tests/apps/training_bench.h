// Training on the command line, for tests.
#pragma once

#include <string>
#include <vector>

#include "tests/apps/workbench.h"

namespace pipegraph::test {

class TrainingBench : public Workbench {
 protected:
  TrainingBench() { write_tower(); }

  /// `pipegraph run tower.yaml --backend cpu --train --no-report WORDS...`.
  static Ran train(const std::vector<std::string>& words);
};

/// loss.csv of a results folder, by line, without the column of seconds.
std::vector<std::string> losses_in(const std::string& results);
/// The column `loss` of each step.
std::vector<double> loss_values_in(const std::string& results);
/// The bytes of the latest checkpoint's tensors.
std::string tensors_in(const std::string& results);

}  // namespace pipegraph::test
