// A handler may only call what is safe in the middle of anything, such as malloc: so it does not
// walk through the folder itself but has rm do it.
#include "apps/interruption.h"

#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <string>

#include "core/base/errors.h"

namespace pipegraph {
namespace {

constexpr std::array k_signals{SIGHUP, SIGINT, SIGTERM};

/// The handler's only way to know.
struct Removal {
  pid_t process = 0;
  std::string part, all, keeps_all;
};
Removal removal;

void remove_leftovers() {
  const bool all = !removal.all.empty() && ::access(removal.keeps_all.c_str(), F_OK) != 0;
  const pid_t child = ::_Fork();
  if (child == 0) {
    const std::string& folder = all ? removal.all : removal.part;
    ::execl("/bin/rm", "rm", "-rf", "--", folder.c_str(), nullptr);
    ::_exit(1);
  }
  if (child > 0) ::waitpid(child, nullptr, 0);
}

void remove_and_end(int signal) {
  if (::getpid() == removal.process) remove_leftovers();
  std::signal(signal, SIG_DFL);
  ::raise(signal);  // delivered as the handler returns
}

sigset_t all_signals() {
  sigset_t set;
  ::sigemptyset(&set);
  for (const int signal : k_signals) ::sigaddset(&set, signal);
  return set;
}

void handle_with(void (*handler)(int)) {
  struct sigaction action {};
  action.sa_handler = handler;
  action.sa_mask = all_signals();
  for (const int signal : k_signals) {
    struct sigaction before {};
    ::sigaction(signal, nullptr, &before);
    // nohup and background jobs ignore some of them, and go on doing so.
    if (before.sa_handler != SIG_IGN) ::sigaction(signal, &action, nullptr);
  }
}

}  // namespace

RemovedOnSignal::RemovedOnSignal(const Leftovers& leftovers) {
  check(removal.process == 0, "one folder at a time is removed on a signal");
  removal = {.process = ::getpid(),
             .part = leftovers.part.string(),
             .all = leftovers.all.string(),
             .keeps_all = leftovers.keeps_all.string()};
  handle_with(remove_and_end);
}

RemovedOnSignal::~RemovedOnSignal() {
  handle_with(SIG_DFL);
  removal = {};
}

SignalsHeld::SignalsHeld() {
  const sigset_t set = all_signals();
  ::pthread_sigmask(SIG_BLOCK, &set, &before_);
}

SignalsHeld::~SignalsHeld() { ::pthread_sigmask(SIG_SETMASK, &before_, nullptr); }

void commit(ResultsFolder& folder, std::optional<RemovedOnSignal>& interruption) {
  const SignalsHeld held;
  folder.commit();
  interruption.reset();
}

}  // namespace pipegraph
