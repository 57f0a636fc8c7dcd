#include "tests/apps/workbench.h"

#include <fmt/format.h>

#include <cstdio>
#include <cstdlib>

#include "apps/backends.h"
#include "apps/command_line.h"
#include "core/base/files.h"

namespace pipegraph::test {
namespace {

/// A stream into memory, in place of a terminal.
class Capture {
 public:
  Capture() : stream_(::open_memstream(&text_, &size_)) {}
  Capture(const Capture&) = delete;
  Capture& operator=(const Capture&) = delete;
  ~Capture() {
    std::fclose(stream_);
    std::free(text_);  // NOLINT: open_memstream allocates with malloc
  }
  std::FILE* stream() const { return stream_; }
  std::string text() const {
    std::fflush(stream_);
    return {text_, size_};
  }

 private:
  char* text_ = nullptr;
  std::size_t size_ = 0;
  std::FILE* stream_;
};

}  // namespace

Ran run(const std::vector<std::string>& words) {
  const Capture out, err;
  const int code = run_command_line(words, {.out = out.stream(), .err = err.stream()});
  return {code, out.text(), err.text()};
}

Workbench::Workbench() : before_(std::filesystem::current_path()) {
  std::string name = (std::filesystem::temp_directory_path() / "pipegraph_apps_XXXXXX").string();
  folder_ = ::mkdtemp(name.data());
  std::filesystem::current_path(folder_);
}

Workbench::~Workbench() {
  std::filesystem::current_path(before_);
  std::filesystem::remove_all(folder_);
}

void Workbench::write_branches(const std::string& more) const {
  const std::string stages =
      "      - {operators: [a1]}\n      - {operators: [a2]}\n      - {operators: [a3]}\n"
      "      - {operators: [b1]}\n      - {operators: [b2]}\n      - {operators: [b3]}\n"
      "      - {operators: [b4]}\n      - {operators: [a4]}\n";
  write_file(
      "branches.yaml",
      fmt::format("model: {{file: {0}/models/two_branches.yaml}}\n"
                  "cluster: {{shape: uniform, devices: 8, bandwidth: inf}}\n"
                  "training: {{mini_batch: 8, optimizer: none}}\n"
                  "simulation: {{backend: {1}}}\n"
                  "plans:\n"
                  "  - name: graph\n    planner: manual\n    micro_batch: 1\n    stages:\n{2}"
                  "  - name: chain\n    planner: manual\n    kind: sequential\n"
                  "    micro_batch: 1\n    stages:\n{2}{3}",
                  PIPEGRAPH_SOURCE_DIR, is_built_in(BackendKind::SimGrid) ? "simgrid" : "analytic",
                  stages, more));
}

void Workbench::write_tower() const {
  write_file(
      "tower.yaml",
      "model: {family: mlp, layers: 2, inputs: 8, hidden: 16, outputs: 2, activation: gelu}\n"
      "cluster: {shape: uniform, devices: 2, latency: 1 us, bandwidth: 10 GB/s,\n"
      "          device: {memory: 1 GiB, peak: {fp32: 50 GFLOP/s}, memory_bandwidth: 10 GB/s}}\n"
      "training: {mini_batch: 8, optimizer: momentum}\n"
      "plans:\n"
      "  - {name: two, planner: manual, micro_batch: 2, stages: [\n"
      "      {operators: [input, layer0], devices: [0]},\n"
      "      {operators: [layer1, output, loss], devices: [1]}]}\n"
      "  - {name: turned, planner: manual, kind: sequential, micro_batch: 2, schedule: gpipe,\n"
      "     stages: [{operators: [input, layer0, layer1], devices: [1]},\n"
      "              {operators: [output, loss], devices: [0]}]}\n"
      "  - {name: replicas, planner: manual, micro_batch: 4, stages: [\n"
      "      {operators: ['*'], devices: [0, 1]}]}\n");
}

}  // namespace pipegraph::test
