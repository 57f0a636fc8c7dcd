#include "apps/installation.h"

#include <algorithm>
#include <system_error>

#include "core/base/files.h"

namespace pipegraph {

namespace fs = std::filesystem;

fs::path topologies_folder() { return fs::path(PIPEGRAPH_SOURCE_DIR) / "topologies"; }
fs::path report_program() { return fs::path(PIPEGRAPH_SOURCE_DIR) / "analysis" / "report.py"; }
fs::path comparison_program() { return fs::path(PIPEGRAPH_SOURCE_DIR) / "analysis" / "compare.py"; }
fs::path python() { return PIPEGRAPH_PYTHON; }

std::vector<fs::path> files_with_extension(const fs::path& folder, const std::string& extension) {
  std::vector<fs::path> files;
  std::error_code failed;
  for (fs::directory_iterator at(folder, failed), end; !failed && at != end; at.increment(failed))
    if (at->path().extension() == extension) files.push_back(at->path());
  std::sort(files.begin(), files.end());
  return files;
}

std::string first_sentence(const fs::path& file) {
  const std::string text = read_file(file);
  std::string comment;
  for (std::size_t at = 0; at < text.size() && text[at] == '#';) {
    const std::size_t end = std::min(text.find('\n', at), text.size());
    const std::size_t start = std::min(text.find_first_not_of("# ", at), end);
    if (!comment.empty()) comment += ' ';
    comment += text.substr(start, end - start);
    at = end + 1;
  }
  return comment.substr(0, comment.find(". "));
}

}  // namespace pipegraph
