// Scenarios made portable.
#include "apps/study.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "core/base/files.h"
#include "tests/apps/workbench.h"

namespace pipegraph {
namespace {

using ::testing::HasSubstr;

using PortableStudy = test::Workbench;

TEST_F(PortableStudy, PortableTextHoldsTheFilesItNames) {
  write_file("fast.yaml", "shape: uniform\ndevices: 2\n");
  const YamlValue document = YamlValue::parse(
      "cluster: {file: fast.yaml, devices: 4}\nmodel: {family: mlp}\nplans: [{file: p.yaml}]\n",
      "s.yaml");
  const std::string text = portable_text(document);
  EXPECT_THAT(text, HasSubstr("cluster:\n  shape: uniform\n  devices: 4\n  name: fast\n"));
  EXPECT_THAT(text, HasSubstr(std::filesystem::absolute("p.yaml").string()));
}

TEST_F(PortableStudy, PortableTextKeepsAFileThatTheSweepVaries) {
  const YamlValue document = YamlValue::parse(
      "cluster: {file: fast.yaml}\nsweep: {cluster.file: [fast.yaml, slow.yaml]}\n", "s.yaml");
  EXPECT_THAT(portable_text(document), HasSubstr("file: fast.yaml"));
}

}  // namespace
}  // namespace pipegraph
