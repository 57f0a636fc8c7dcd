#include "apps/report_process.h"

#include <fmt/format.h>
#include <spawn.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cerrno>
#include <optional>
#include <system_error>

#include "apps/installation.h"
#include "apps/interruption.h"
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

int run_python(const std::filesystem::path& program, const std::vector<std::string>& arguments) {
  // -B: no __pycache__ folders among the sources. They have nothing to say on standard output.
  std::vector<std::string> words{python().string(), "-B", program.string()};
  words.insert(words.end(), arguments.begin(), arguments.end());
  std::vector<char*> pointers;
  for (std::string& word : words) pointers.push_back(word.data());
  pointers.push_back(nullptr);
  posix_spawn_file_actions_t actions;
  ::posix_spawn_file_actions_init(&actions);
  ::posix_spawn_file_actions_adddup2(&actions, STDERR_FILENO, STDOUT_FILENO);
  pid_t child = 0;
  std::optional<EndedOnSignal> ended_on_signal;
  {
    const SignalsHeld held;
    const int error =
        ::posix_spawn(&child, words[0].c_str(), &actions, nullptr, pointers.data(), environ);
    ::posix_spawn_file_actions_destroy(&actions);
    if (error != 0) fail(std::system_category().message(error));
    ended_on_signal.emplace(child);
  }
  return exit_code_of(child);
}

}  // namespace

bool can_draw_report() { return !python().empty(); }

int draw_report(const std::filesystem::path& folder, const std::vector<std::string>& more) {
  std::vector<std::string> arguments = more;
  arguments.emplace_back("--");
  arguments.push_back(folder.string());
  return run_python(report_program(), arguments);
}

int draw_comparison(const std::filesystem::path& a, const std::filesystem::path& b,
                    const std::filesystem::path& output) {
  return run_python(comparison_program(), {"-o", output.string(), "--", a.string(), b.string()});
}

}  // namespace pipegraph
