// The help of every verb beside the documents and the ranges of what it takes.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <filesystem>
#include <map>
#include <regex>
#include <set>

#include "apps/command_line.h"
#include "apps/verb.h"
#include "core/base/files.h"
#include "tests/apps/workbench.h"

namespace pipegraph {
namespace {

struct OptionHelp {
  std::string value;  ///< "N", "FILE"; empty for a switch
  std::string text;
};

/// By name with its dashes.
std::map<std::string, OptionHelp> options_of(const Verb& verb) {
  const std::string help = test::run({std::string(verb.name), "--help"}).out;
  static const std::regex k_option(
      R"(\n  (?:-\w \[ )?(--[a-z-]+)(?: \])?(?: ([^ \n]+))?((?:.*)(?:\n {8,}.*)*))");
  std::map<std::string, OptionHelp> options;
  for (std::sregex_iterator found(help.begin(), help.end(), k_option), end; found != end; ++found)
    options[(*found)[1]] = {.value = (*found)[2], .text = (*found)[3]};
  return options;
}

std::string documents() {
  const std::filesystem::path root = PIPEGRAPH_SOURCE_DIR;
  std::string text = read_file(root / "README.md");
  for (const auto& entry : std::filesystem::directory_iterator(root / "docs"))
    if (entry.path().extension() == ".md") text += read_file(entry.path());
  return text;
}

TEST(Help, EveryOptionStandsInTheDocuments) {
  const std::string text = documents();
  for (const Verb& verb : verb_table())
    for (const auto& [name, option] : options_of(verb))
      EXPECT_TRUE(name == "--help" || std::regex_search(text, std::regex(name + "(?![a-z-])")))
          << verb.name << ' ' << name;
}

TEST(Help, EveryNumberTellsItsRange) {
  const std::set<std::string> numbers{"N", "K", "S", "INDEX", "PERCENT", "RATE", "FACTOR", "VALUE"};
  const std::regex range(R"((from|above) 0|\d+ (to|or more)|up to)");
  std::size_t seen = 0;
  for (const Verb& verb : verb_table())
    for (const auto& [name, option] : options_of(verb)) {
      std::smatch word;
      std::regex_search(option.value, word, std::regex("[A-Z]*"));
      if (!numbers.contains(word.str())) continue;
      ++seen;
      EXPECT_TRUE(std::regex_search(option.text, range))
          << verb.name << ' ' << name << ": " << option.text;
    }
  EXPECT_GE(seen, 15U);
}

}  // namespace
}  // namespace pipegraph
