#include "tests/apps/training_bench.h"

#include <sstream>

#include "core/base/files.h"
#include "exec/training/checkpoint_folder.h"

namespace pipegraph::test {

Ran TrainingBench::train(const std::vector<std::string>& words) {
  std::vector<std::string> all{"run", "tower.yaml", "--backend", "cpu", "--train", "--no-report"};
  all.insert(all.end(), words.begin(), words.end());
  return run(all);
}

std::vector<std::string> losses_in(const std::string& results) {
  std::vector<std::string> rows;
  std::istringstream lines(read_file(results + "/training/loss.csv"));
  for (std::string line; std::getline(lines, line);)
    rows.push_back(line.substr(0, line.rfind(',')));
  return rows;
}

std::vector<double> loss_values_in(const std::string& results) {
  std::vector<double> values;
  const std::vector<std::string> rows = losses_in(results);
  for (std::size_t i = 1; i < rows.size(); ++i) {
    const std::size_t second = rows[i].find(',', rows[i].find(',') + 1);
    values.push_back(std::stod(rows[i].substr(second + 1)));
  }
  return values;
}

std::string tensors_in(const std::string& results) {
  const std::string folder = results + "/training/checkpoints";
  std::string bytes;
  for (const std::string& file : read_manifest(find_manifest(folder)).files)
    bytes += read_file(folder + "/" + file);
  return bytes;
}

}  // namespace pipegraph::test
