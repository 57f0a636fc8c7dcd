// docs/models.md must list every family with every parameter, default and meaning.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include "core/base/files.h"
#include "models/table.h"

namespace pipegraph {
namespace {

TEST(ModelDocumentation, ListsEveryParameterWithItsDefault) {
  const std::string text = read_file(PIPEGRAPH_SOURCE_DIR "/docs/models.md");
  for (const Family& family : families()) {
    const std::size_t begin = text.find(fmt::format("\n### {}\n", family.name));
    ASSERT_NE(begin, std::string::npos) << family.name;
    const std::string section = text.substr(begin, text.find("\n### ", begin + 1) - begin);
    for (const FamilyParameter& parameter : family.parameters) {
      const std::string row = fmt::format("| `{}` | `{}` | {}", parameter.name,
                                          parameter.fallback_text(), parameter.meaning);
      EXPECT_NE(section.find(row), std::string::npos) << family.name << ": " << row;
    }
  }
}

}  // namespace
}  // namespace pipegraph
