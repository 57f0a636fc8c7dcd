#include "core/profile/cost_file.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace pipegraph {
namespace {

using testing::AllOf;
using testing::HasSubstr;

CostFile full_file() {
  return {
      .model = "two towers: \"a\"",
      .model_hash = "0123456789abcdef",
      .backend = "cpu",
      .precision = Precision::Bf16,
      .version = "0.1.0",
      .date = "2026-01-31",
      .machine = {.cpu = "Some(R) CPU @ 2.0GHz", .cores = 2, .blas = "B 1", .blas_core = "Fast"},
      .operators = {{"fc1", Pass::Forward, 4, {Seconds{1.25e-3}, Seconds{1e-5}, 20, true}},
                    {"fc1", Pass::BackwardWeight, 4, {Seconds{0.1 + 0.2}, Seconds{0}, 1}}},
      .plans = {{.hash = "00000000000000aa",
                 .name = "graph",
                 .instructions = {{"s0", InstructionKind::Forward, 3, {Seconds{1e-3}}},
                                  {"s0", InstructionKind::Optimizer, 0, {Seconds{2e-3}}},
                                  {"", InstructionKind::AllReduce, 0, {Seconds{3e-3}}}}}},
      .transfers = {{Bytes{1024}, {Seconds{1e-6}, Seconds{1e-7}, 100}},
                    {Bytes{5}, {Seconds{9e-7}, Seconds{0}, 7}}},
      .dispatch = Seconds{4e-7},
      .optimizer_bandwidth = BytesPerSecond{1.5e9},
      .disturbed = {"optimizer_bandwidth"},
      .overlap = false};
}

CostFile with_counts(CostFile file) {
  for (MeasuredPlan& plan : file.plans)
    for (MeasuredInstruction& measured : plan.instructions) measured.time.count = 1;
  return file;
}

CostFile read(const std::string& text) {
  return read_cost_file(YamlValue::parse(text, "costs.yaml"));
}

constexpr const char* k_head =
    "format: 1\ncosts: {model: m, model_hash: '1', backend: cpu}\nmachine: {cpu: c, cores: 2}\n";
constexpr const char* k_operator = "{operator: a, pass: forward, samples: 2, mean: 1 ms}";

std::string error_of(const std::string& more) {
  try {
    read(std::string(k_head) + more);
  } catch (const ConfigError& error) {
    return error.what();
  }
  return "no error";
}

TEST(CostFile, ReadsBackWhatItWrites) {
  const CostFile file = with_counts(full_file());
  EXPECT_EQ(read(to_yaml_text(file)), file);
  EXPECT_EQ(to_yaml_text(read(to_yaml_text(file))), to_yaml_text(file));
}

TEST(CostFile, ReadsBackEmptyLists) {
  CostFile file{
      .model = "m", .model_hash = "1", .backend = "cpu", .machine = {.cpu = "c", .cores = 1}};
  EXPECT_EQ(read(to_yaml_text(file)), file);
  file.plans.push_back({.hash = "2", .name = "empty", .instructions = {}});
  EXPECT_EQ(read(to_yaml_text(file)), file);
}

TEST(CostFile, HasAMinimalForm) {
  const CostFile file = read(std::string(k_head) + "entries: 1\noperators: [" + k_operator + "]\n");
  EXPECT_TRUE(file.overlap);
  EXPECT_FALSE(file.dispatch.has_value());
  EXPECT_FALSE(transfer_table(file).has_value());
  EXPECT_EQ(file.operators.at(0).time, (Measured{Seconds{1e-3}, Seconds{0}, 1}));
}

TEST(CostFile, MakesATableOfItsTransfers) {
  const auto table = transfer_table(full_file());
  ASSERT_TRUE(table.has_value());
  EXPECT_EQ(table->time(1024.0), Seconds{1e-6});
  EXPECT_EQ(table->time(1.0), Seconds{9e-7});
}

TEST(CostFile, FindsAPlanByItsHash) {
  const CostFile file = full_file();
  ASSERT_NE(find_plan(file, "00000000000000aa"), nullptr);
  EXPECT_EQ(find_plan(file, "00000000000000aa")->name, "graph");
  EXPECT_EQ(find_plan(file, "00000000000000ab"), nullptr);
}

TEST(CostFile, NamesThePlaceOfWhatIsWrong) {
  EXPECT_THAT(error_of("operators: [{operator: a, pass: sideways, samples: 2, mean: 1 ms}]\n"),
              HasSubstr("costs.yaml:4:33: operators[0].pass: unknown value 'sideways'"));
  EXPECT_THAT(error_of("operators: [{operator: a, pass: forward, samples: 0, mean: 1 ms}]\n"),
              HasSubstr("operators[0].samples"));
  EXPECT_THAT(error_of("operators: [{operator: a, pass: forward, samples: 1, mean: 1}]\n"),
              HasSubstr("operators[0].mean: '1' has no unit"));
  EXPECT_THAT(error_of("plans: [{hash: a, passes: [{stage: s, pass: forward, mean: 1 s}]}]\n"),
              HasSubstr("samples"));
  EXPECT_THAT(error_of("plans: [{hash: a, passes: [{stage: s, pass: send, mean: 1 s}]}]\n"),
              HasSubstr("plans[0].passes[0].pass: unknown value 'send'"));
  EXPECT_THAT(error_of("transfers: [{bytes: 0 B, mean: 1 s}]\n"), HasSubstr("transfers[0].bytes"));
  EXPECT_THAT(error_of("transfers: [{bytes: 1 B, mean: 0 s}]\n"), HasSubstr("transfers[0].mean"));
  EXPECT_THAT(error_of("transfers: [{bytes: 1 B, mean: 1e7 s}]\n"),
              HasSubstr("transfers[0].mean: nothing that was measured took so long"));
  EXPECT_THAT(error_of("dispatsh: 1 us\n"), HasSubstr("expected 'dispatch'"));
}

TEST(CostFile, RefusesTheSameMeasurementTwice) {
  const std::string one = "{operator: a, pass: forward, samples: 1, mean: 1 ms}";
  EXPECT_THAT(error_of("operators: [" + one + ", " + one + "]\n"), HasSubstr("operators[1]"));
  EXPECT_THAT(error_of("transfers: [{bytes: 1 B, mean: 1 s}, {bytes: 1 B, mean: 1 s}]\n"),
              HasSubstr("transfers[1]"));
  EXPECT_THAT(error_of("plans: [{hash: a, passes: []}, {hash: a, passes: []}]\n"),
              HasSubstr("plans[1]"));
  EXPECT_THAT(error_of("plans: [{hash: a, passes: [{stage: s, pass: optimizer, mean: 1 s}, "
                       "{stage: s, pass: optimizer, mean: 1 s}]}]\n"),
              HasSubstr("plans[0].passes[1]"));
}

// Two operators, two transfers, a plan with three passes.
TEST(CostFile, CountsItsEntriesAndWhatWasDisturbed) {
  EXPECT_EQ(entries_of(full_file()), 8U);
  EXPECT_EQ(disturbed_entries_of(full_file()), 2U);
}

// A file cut anywhere is broken YAML, lacks something, or has fewer entries than it says.
TEST(CostFile, CutAnywhereIsNeverTakenForAWholeOne) {
  const std::string whole = to_yaml_text(full_file());
  for (std::size_t length = 0; length + 1 < whole.size(); ++length) {
    try {
      const CostFile file = read(whole.substr(0, length));
      // Only what stands behind the last entry's braces may be gone.
      EXPECT_EQ(file, with_counts(full_file())) << "cut after " << length;
    } catch (const ConfigError&) {
      continue;
    }
  }
}

TEST(CostFile, SaysWhereEntriesAreMissing) {
  const std::string one = std::string("operators: [") + k_operator + "]\n";
  EXPECT_THAT(error_of("entries: 3\n" + one),
              HasSubstr("costs.yaml:4:10: entries: 3 entries were written and 1 are there"));
  EXPECT_THAT(error_of(one), AllOf(HasSubstr("costs.yaml:1:1: has no 'entries'"),
                                   HasSubstr("expected 'entries: 1'")));
}

TEST(CostFile, RefusesAnotherFormat) {
  EXPECT_THROW(read("format: 2\ncosts: {model: m, model_hash: '1', backend: cpu}\nmachine: {cpu: "
                    "c, cores: 2}\n"),
               ConfigError);
}

}  // namespace
}  // namespace pipegraph
