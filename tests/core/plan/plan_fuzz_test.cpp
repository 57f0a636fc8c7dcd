// Seeded mutations of a good plan file: each is read, or refused with a ConfigError that names a
// line; a plan that is read is written and read back as itself.
#include <gtest/gtest.h>

#include "core/plan/plan_file.h"
#include "core/plan/plan_reader.h"
#include "core/plan/plan_text.h"
#include "tests/core/plan/tiny_plans.h"
#include "tests/support/text_mutations.h"

namespace pipegraph {
namespace {

constexpr std::string_view k_tokens[] = {":",     ": ",          "- ",
                                         "[",     "]",           "{",
                                         "}",     ",",           "*",
                                         "?",     "'",           "\"",
                                         "#",     "\n",          "\t",
                                         "a1",    "b*",          "-1",
                                         "0",     "99999999999", "1e99",
                                         "null",  "nan",         "all",
                                         "none",  "kfkb",        "true",
                                         "4 GiB", "1.5 us",      "\xff",
                                         "plan",  "stages",      "name",
                                         "s0",    "graph",       "format:",
                                         "  ",    "\n    ",      "devices: [0, 0]"};

TEST(PlanFuzz, MutatedPlanFilesAreReadOrRefusedWithTheirPlace) {
  const Workload workload = test::tiny_workload();
  const PlanOrigin origin{.model = YamlValue::parse("{family: mlp}", "f"),
                          .cluster = YamlValue::parse("{shape: uniform}", "f"),
                          .training = workload.training};
  const std::string good = plan_file_text(test::full_plan(), *workload.graph, origin);
  test::TextMutator mutated(11, k_tokens);
  int accepted = 0;
  int refused = 0;
  for (int i = 0; i < 5'000; ++i) {
    const std::string text = mutated(good);
    try {
      const PlanDocument document = read_plan_document(YamlValue::parse(text, "f"));
      const Plan plan = read_plan(document.plan, workload).plan;
      const std::string written = to_yaml_text(plan, *workload.graph);
      ASSERT_TRUE(test::equal(read_plan(YamlValue::parse(written, "g"), workload).plan, plan))
          << text;
      ++accepted;
    } catch (const ConfigError& error) {
      ASSERT_EQ(error.where().file, "f") << text;
      ASSERT_GT(error.where().line, 0) << text;
      ++refused;
    }
  }
  EXPECT_GT(accepted, 200);
  EXPECT_GT(refused, 2'000);
}

}  // namespace
}  // namespace pipegraph
