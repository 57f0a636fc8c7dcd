#include "apps/report_process.h"

#include <fmt/format.h>
#include <spawn.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cerrno>
#include <system_error>

#include "apps/installation.h"
#include "core/base/errors.h"

namespace pipegraph {
namespace {

[[noreturn]] void fail(const std::string& what) {
  throw MachineError(fmt::format("{}: {}", python().string(), what));
}

int exit_code_of(pid_t child) {
  int status = 0;
  while (::waitpid(child, &status, 0) < 0)
    if (errno != EINTR) fail(std::system_category().message(errno));
  if (WIFSIGNALED(status)) fail(fmt::format("was killed by signal {}", WTERMSIG(status)));
  return WEXITSTATUS(status);
}

}  // namespace

bool can_draw_report() { return !python().empty(); }

int draw_report(const std::filesystem::path& folder, const std::vector<std::string>& more) {
  // -B: no __pycache__ folders among the sources. The report has nothing to say on standard output.
  std::vector<std::string> words{python().string(), "-B", report_program().string()};
  words.insert(words.end(), more.begin(), more.end());
  words.emplace_back("--");
  words.push_back(folder.string());
  std::vector<char*> pointers;
  for (std::string& word : words) pointers.push_back(word.data());
  pointers.push_back(nullptr);
  posix_spawn_file_actions_t actions;
  ::posix_spawn_file_actions_init(&actions);
  ::posix_spawn_file_actions_adddup2(&actions, STDERR_FILENO, STDOUT_FILENO);
  pid_t child = 0;
  const int error =
      ::posix_spawn(&child, words[0].c_str(), &actions, nullptr, pointers.data(), environ);
  ::posix_spawn_file_actions_destroy(&actions);
  if (error != 0) fail(std::system_category().message(error));
  return exit_code_of(child);
}

}  // namespace pipegraph
