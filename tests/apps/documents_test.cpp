// The documents beside what they speak of: every key that is written is named, every link leads
// somewhere.
#include <gtest/gtest.h>

#include <algorithm>
#include <cctype>
#include <filesystem>
#include <nlohmann/json.hpp>
#include <regex>
#include <set>
#include <sstream>

#include "core/base/files.h"
#include "tests/apps/workbench.h"

namespace pipegraph {
namespace {

namespace fs = std::filesystem;

const fs::path k_root = PIPEGRAPH_SOURCE_DIR;

void collect_keys(const nlohmann::json& json, std::set<std::string>& keys) {
  if (!json.is_structured()) return;  // its items() would be itself
  for (const auto& [key, value] : json.items()) {
    if (json.is_object()) keys.insert(key);
    collect_keys(value, keys);
  }
}

class Documents : public test::Workbench {
 protected:
  static void expect_named(const std::string& key, const std::string& file) {
    static const std::string k_text = read_file(k_root / "docs" / "file_formats.md");
    EXPECT_TRUE(std::regex_search(k_text, std::regex("\\b" + key + "\\b"))) << file << ": " << key;
  }
};

TEST_F(Documents, FileFormatsNamesEveryKeyAndColumnOfResults) {
  write_branches();
  ASSERT_EQ(test::run({"run", "branches.yaml", "--backend", "emulated", "--trace", "--steps", "3",
                       "--no-report", "-o", "results"})
                .code,
            0);
  for (const auto& entry : fs::recursive_directory_iterator("results")) {
    std::set<std::string> keys;
    const std::string name = entry.path().filename().string();
    if (entry.path().extension() == ".json" && name != "timeline.json")  // the trace's own format
      collect_keys(nlohmann::json::parse(read_file(entry.path())), keys);
    if (entry.path().extension() == ".csv" && name != "results.csv") {  // keys joined
      std::stringstream header(read_file(entry.path()));
      std::string line;
      std::getline(header, line);
      std::stringstream columns(line);
      for (std::string column; std::getline(columns, column, ',');) keys.insert(column);
    }
    for (const std::string& key : keys)
      if (std::isdigit(static_cast<unsigned char>(key[0])) == 0) expect_named(key, name);
  }
}

/// As GitHub makes it of a heading: letters, digits, '_' and '-', blanks as '-'.
std::string anchor_of(const std::string& heading) {
  std::string anchor;
  for (const char c : heading) {
    const auto letter = static_cast<unsigned char>(c);
    if (std::isalnum(letter) != 0 || c == '_' || c == '-')
      anchor += static_cast<char>(std::tolower(letter));
    else if (c == ' ')
      anchor += '-';
  }
  return anchor;
}

std::set<std::string> anchors_of(const fs::path& file) {
  std::set<std::string> anchors;
  std::istringstream text(read_file(file));
  bool code = false;
  for (std::string line; std::getline(text, line);) {
    if (line.starts_with("```")) code = !code;
    if (!code && line.starts_with('#'))
      anchors.insert(anchor_of(line.substr(line.find_first_not_of("# "))));
  }
  return anchors;
}

/// What is wrong with a link of `from`; empty if nothing is, or if it leads out of the repository.
std::string problem_of(const fs::path& from, const std::string& link) {
  if (link.find("://") != std::string::npos) return {};
  const std::size_t hash = std::min(link.find('#'), link.size());
  const std::string path = link.substr(0, hash);
  const fs::path target = path.empty() ? from : from.parent_path() / path;
  if (!fs::exists(target)) return "there is no such file";
  if (hash == link.size() || anchors_of(target).contains(link.substr(hash + 1))) return {};
  return "there is no such heading";
}

TEST(DocumentLinks, LeadToFilesAndHeadings) {
  std::vector<fs::path> files{k_root / "README.md", k_root / "CONTRIBUTING.md"};
  for (const auto& entry : fs::recursive_directory_iterator(k_root / "docs"))
    if (entry.path().extension() == ".md") files.push_back(entry.path());
  const std::regex link(R"(\]\(([^) ]+)\))");
  std::size_t seen = 0;
  for (const fs::path& file : files) {
    const std::string text = read_file(file);
    for (std::sregex_iterator found(text.begin(), text.end(), link), end; found != end; ++found) {
      ++seen;
      EXPECT_EQ(problem_of(file, (*found)[1]), "") << file << ": " << (*found)[1];
    }
  }
  EXPECT_GT(seen, 100U);
}

}  // namespace
}  // namespace pipegraph
