// Damaged files: whatever is read must be a model or a positioned error, never a crash.
#include <gtest/gtest.h>

#include <random>

#include "tests/models/importers/import_text.h"

namespace pipegraph::test {
namespace {

const std::string k_profile =
    "n1 -- Linear(1, 2) -- forward_compute_time=4.0, backward_compute_time=8.0, "
    "activation_size=[40.0; 2], parameter_size=1.000\n"
    "n2 -- Relu -- forward_compute_time=4.0, backward_compute_time=8.0, "
    "activation_size=4, parameter_size=1.000\n"
    "\tn1 -- n2\n";

const std::string k_layers =
    R"({"maxDevices": 8, "maxMemoryPerDevice": 1e9, "bandwidth": 25e9, "mbsInBatch": 16, "nodes": [
{"id": 7, "name": "a", "TMPCs": {"1": [{"id": "vanilla", "timePerSample": 3.0, "parameterSize": 1,
"memoryUsageA": 8, "memoryUsageB": 2, "syncTimeFw": {}, "syncTimeBw": {"5": 0.0}}]}},
{"id": 5, "name": "b", "TMPCs": {"1": [{"id": "vanilla", "timePerSample": 4.0, "parameterSize": 1,
"memoryUsageA": 4, "memoryUsageB": 3, "syncTimeFw": {"7": 6.0}, "syncTimeBw": {}}]}}],
"edges": [{"sourceId": 7, "destId": 5, "communicationCost": 100.0}]})";

std::string mutate(std::string text, std::mt19937& random) {
  const std::string alphabet = "{}[]:,;-=()\"\t\n 0123456789.eainf";
  const auto below = [&](std::size_t n) {
    return std::uniform_int_distribution<std::size_t>(0, n - 1)(random);
  };
  for (std::size_t edits = 1 + below(3); edits > 0 && !text.empty(); --edits) {
    const std::size_t at = below(text.size());
    switch (below(4)) {
      case 0:
        text[at] = alphabet[below(alphabet.size())];
        break;
      case 1:
        text.insert(at, 1, alphabet[below(alphabet.size())]);
        break;
      case 2:
        text.erase(at, 1 + below(12));
        break;
      default:
        text.insert(at, text.substr(below(text.size()), 1 + below(30)));
        break;
    }
  }
  return text;
}

struct Tally {
  int models = 0;
  int errors = 0;
};

Tally mutations(const std::string& good, const std::string& options) {
  Tally tally;
  std::mt19937 random(11);
  for (int i = 0; i < 2000; ++i) try {
      import_text(mutate(good, random), options);
      ++tally.models;
    } catch (const ConfigError& error) {
      ++tally.errors;
      EXPECT_NE(std::string(error.what()).find("imported.txt"), std::string::npos) << error.what();
    }
  return tally;
}

TEST(ImportMutations, OfAPipedreamProfileGiveAModelOrAPositionedError) {
  const Tally tally = mutations(k_profile, "import: pipedream, profile_samples: 4");
  EXPECT_GT(tally.errors, 500);
  EXPECT_GT(tally.models, 20);
}

TEST(ImportMutations, OfPiperLayersGiveAModelOrAPositionedError) {
  const Tally tally = mutations(k_layers, "import: piper, profile_samples: 4, time_unit: ms");
  EXPECT_GT(tally.errors, 500);
  EXPECT_GT(tally.models, 20);
}

}  // namespace
}  // namespace pipegraph::test
