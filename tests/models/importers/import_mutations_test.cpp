// Damaged files: whatever is read must be a model or a positioned error, never a crash.
#include <gtest/gtest.h>

#include "tests/models/importers/import_text.h"
#include "tests/support/text_mutations.h"

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

constexpr std::string_view k_tokens[] = {
    "{", "}",  "[",    "]",   ":",   ",", ";", " -- ", "=",  "(",  ")", "\"",   "\t", "\n", "\tn",
    "0", "-1", "1e99", "nan", "inf", ".", "e", "1",    "id", "n1", "7", "null", "{}", "[]"};

struct Tally {
  int models = 0;
  int errors = 0;
};

Tally mutations(const std::string& good, const std::string& options) {
  Tally tally;
  TextMutator mutate(11, k_tokens);
  for (int i = 0; i < 2000; ++i) try {
      import_text(mutate(good), options);
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
