// Verbs, help, versions, mistakes, and exit codes.
#include "apps/command_line.h"

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstdlib>

#include "apps/verb.h"
#include "tests/apps/workbench.h"

namespace pipegraph {
namespace {

using test::Ran;
using test::run;
using ::testing::HasSubstr;
using ::testing::StartsWith;

TEST(CommandLine, HelpIsAResultAndListsEveryVerb) {
  const Ran ran = run({"--help"});
  EXPECT_EQ(ran.code, 0);
  for (const Verb& verb : verb_table()) EXPECT_THAT(ran.out, HasSubstr(std::string(verb.name)));
  EXPECT_EQ(ran.err, "");
}

TEST(CommandLine, EveryVerbExplainsItselfWithAnExample) {
  for (const Verb& verb : verb_table()) {
    const Ran ran = run({std::string(verb.name), "--help"});
    EXPECT_EQ(ran.code, 0);
    EXPECT_THAT(ran.out, StartsWith(fmt::format("usage: pipegraph {} ", verb.name)));
    EXPECT_THAT(ran.out, HasSubstr(fmt::format("examples:\n  pipegraph {} ", verb.name)));
  }
}

TEST(CommandLine, PrintsVersions) {
  const Ran ran = run({"--version"});
  EXPECT_EQ(ran.code, 0);
  EXPECT_THAT(ran.out, StartsWith("pipegraph "));
}

TEST(CommandLine, NothingIsBadInput) {
  const Ran ran = run({});
  EXPECT_EQ(ran.code, 2);
  EXPECT_EQ(ran.out, "");
  EXPECT_THAT(ran.err, HasSubstr("usage: pipegraph VERB"));
}

TEST(CommandLine, SuggestsVerbsAndOptions) {
  EXPECT_THAT(run({"simulat"}).err,
              StartsWith("pipegraph: there is no verb 'simulat'; expected 'simulate'"));
  const Ran ran = run({"list", "models", "--fromat", "csv"});
  EXPECT_EQ(ran.code, 2);
  EXPECT_EQ(ran.err,
            "pipegraph: list: there is no option '--fromat'; expected '--format'; see "
            "'pipegraph list --help'\n");
}

TEST(CommandLine, NamesMissingAndSuperfluousArguments) {
  EXPECT_EQ(run({"simulate"}).err,
            "pipegraph: simulate: SCENARIO is missing; expected pipegraph simulate SCENARIO "
            "[options]\n");
  EXPECT_THAT(run({"list", "models", "more"}).err, HasSubstr("there are too many arguments"));
  EXPECT_THAT(run({"list", "models", "--format"}).err, HasSubstr("--format"));
  EXPECT_THAT(
      run({"list", "models", "--format", "xml"}).err,
      StartsWith("pipegraph: --format: unknown value 'xml'; expected one of table, json, csv"));
  EXPECT_EQ(run({"list", "models", "--format", "xml"}).code, 2);
}

TEST(CommandLine, AMessageThatCannotBeWrittenChangesNothing) {
  std::FILE* full = std::fopen("/dev/full", "w");
  ASSERT_NE(full, nullptr);
  std::setbuf(full, nullptr);  // as standard error
  const std::vector<std::string> words{"simulat"};
  EXPECT_EQ(run_command_line(words, {.out = stdout, .err = full}), 2);
  std::fclose(full);
}

TEST(CommandLine, AFullDiskBehindStandardOutputIsAFault) {
  std::FILE* full = std::fopen("/dev/full", "w");
  ASSERT_NE(full, nullptr);
  const std::vector<std::string> words{"--version"};
  char* text = nullptr;
  std::size_t size = 0;
  std::FILE* err = ::open_memstream(&text, &size);
  EXPECT_EQ(run_command_line(words, {.out = full, .err = err}), 3);
  std::fclose(err);
  EXPECT_STREQ(text, "pipegraph: standard output: cannot be written: No space left on device\n");
  std::free(text);  // NOLINT: open_memstream allocates with malloc
  std::fclose(full);
}

}  // namespace
}  // namespace pipegraph
