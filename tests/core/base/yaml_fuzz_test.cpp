// Seeded mutations of good documents: each is read, or refused with a ConfigError that names a
// line; whatever is read can be walked through and written out again.
#include <gtest/gtest.h>

#include <array>

#include "core/base/yaml_reader.h"
#include "tests/support/text_mutations.h"

namespace pipegraph {
namespace {

constexpr std::array<std::string_view, 3> k_documents{
    "# a scenario\n"
    "name: quickstart\n"
    "model: {family: multimodal_transformer, branches: 4, layers: 8, hidden: 1024}\n"
    "cluster: {file: ../topologies/summit.yaml, nodes: 2, devices_per_node: 4}\n"
    "training: {mini_batch: 128, precision: fp32_tensor, optimizer: sgd}\n"
    "plans:\n"
    "  - {planner: graphpipe}\n"
    "  - {planner: pipedream, micro_batch: [1, 2, 4]}\n",
    "operators:\n"
    "- &first\n"
    "  name: 'a1'\n"
    "  inputs: []\n"
    "  forward: 1 ms\n"
    "  output: \"4 KiB\"\n"
    "- {name: a2, inputs: [a1], flops: 2 GFLOP}\n"
    "- *first\n"
    "notes: |\n"
    "  several\n"
    "   lines\n"
    "more: >-\n"
    "  folded\n"
    "  lines\n",
    "%YAML 1.2\n"
    "---\n"
    "? key\n"
    ": - - 1\n"
    "    - 2\n"
    "  - \"\\u20ac\\x41\\n\"\n"
    "...\n"};

constexpr std::string_view k_tokens[] = {
    ":",   ": ", "- ",   "? ", "[",  "]",  "{",  "}",     ",",    "&a",   "*a",     "!",
    "!!s", "|",  ">",    "'",  "\"", "#",  "\n", "\t",    "%",    "@",    "`",      "---",
    "...", "\\", "\xff", "~",  "<<", "  ", "\r", "1e400", "\xC3", "\n  ", "\n---\n"};

void walk(const YamlValue& value) {
  EXPECT_FALSE(value.position().file.empty());
  if (value.is_sequence())
    for (const YamlValue& item : value.items()) walk(item);
  if (value.is_map())
    for (const std::string& key : value.keys()) walk(value.find(key).value());
}

TEST(YamlFuzz, MutatedDocumentsAreReadOrRefusedWithTheirPlace) {
  test::TextMutator mutated(7, k_tokens);
  int accepted = 0;
  int refused = 0;
  for (int i = 0; i < 6'000; ++i) {
    const std::string text = mutated(std::string(k_documents[mutated.below(3)]));
    try {
      const YamlValue value = YamlValue::parse(text, "f");
      walk(value);
      const std::string written = value.to_yaml_text();
      ASSERT_EQ(YamlValue::parse(written, "g").to_yaml_text(), written) << text;
      ++accepted;
    } catch (const ConfigError& error) {
      ASSERT_GT(error.where().line, 0) << text;
      ASSERT_GT(error.where().column, 0) << text;
      ++refused;
    }
  }
  EXPECT_GT(accepted, 500);
  EXPECT_GT(refused, 500);
}

}  // namespace
}  // namespace pipegraph
