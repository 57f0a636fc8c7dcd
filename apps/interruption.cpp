// One handler for all: it may only call what is safe in the middle of anything, such as malloc, so
// it does not walk through a folder itself but has rm do it. It may run on any thread.
#include "apps/interruption.h"

#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <atomic>
#include <csignal>
#include <string>
#include <vector>

#include "core/base/errors.h"

namespace pipegraph {
namespace {

constexpr std::array k_signals{SIGHUP, SIGINT, SIGTERM};

/// The handler's only way to know; changed only while signals are held.
struct Removal {
  pid_t process = 0;
  std::string part, all, keeps_all;
  std::vector<std::string> parents;
};
Removal removal;
pid_t child_to_end = 0;

std::atomic<int> holders{0};
std::atomic<int> handlers{0};     ///< at work
std::atomic<int> held_signal{0};  ///< 0: none

void remove_tree(const std::string& folder) {
  const pid_t child = ::_Fork();
  if (child == 0) {
    ::execl("/bin/rm", "rm", "-rf", "--", folder.c_str(), nullptr);
    ::_exit(1);
  }
  if (child > 0) ::waitpid(child, nullptr, 0);
}

void remove_leftovers() {
  const bool all = !removal.all.empty() && ::access(removal.keeps_all.c_str(), F_OK) != 0;
  remove_tree(all ? removal.all : removal.part);
  for (const std::string& parent : removal.parents)
    if (::rmdir(parent.c_str()) != 0) break;
}

void end_child() {
  ::kill(child_to_end, SIGTERM);
  ::waitpid(child_to_end, nullptr, 0);
}

void clean_up_and_end(int signal) {
  ++handlers;
  if (holders > 0) {
    held_signal = signal;
    --handlers;
    return;
  }
  if (child_to_end != 0) end_child();
  if (::getpid() == removal.process) remove_leftovers();
  std::signal(signal, SIG_DFL);
  ::raise(signal);  // delivered as the handler returns
}

/// Stays for good: without anything to do it does what the system does without a handler.
void install_handler() {
  struct sigaction action {};
  action.sa_handler = clean_up_and_end;
  action.sa_flags = SA_RESTART;
  ::sigemptyset(&action.sa_mask);
  for (const int signal : k_signals) ::sigaddset(&action.sa_mask, signal);
  for (const int signal : k_signals) {
    struct sigaction before {};
    ::sigaction(signal, nullptr, &before);
    // nohup and background jobs ignore some of them, and go on doing so; training has its own.
    if (before.sa_handler == SIG_DFL) ::sigaction(signal, &action, nullptr);
  }
}

}  // namespace

SignalsHeld::SignalsHeld() {
  install_handler();
  ++holders;
  // On another thread, and it ends the process.
  while (handlers > 0) ::usleep(1000);
}

SignalsHeld::~SignalsHeld() {
  if (--holders > 0) return;
  if (const int signal = held_signal.exchange(0); signal != 0) ::raise(signal);
}

RemovedOnSignal::RemovedOnSignal(const Leftovers& leftovers) {
  check(removal.process == 0, "one folder at a time is removed on a signal");
  const SignalsHeld held;
  removal = {.process = ::getpid(),
             .part = leftovers.part.string(),
             .all = leftovers.all.string(),
             .keeps_all = leftovers.keeps_all.string(),
             .parents = {}};
  for (const std::filesystem::path& parent : leftovers.parents)
    removal.parents.push_back(parent.string());
}

RemovedOnSignal::~RemovedOnSignal() {
  const SignalsHeld held;
  removal = {};
}

EndedOnSignal::EndedOnSignal(pid_t child) {
  const SignalsHeld held;
  child_to_end = child;
}

EndedOnSignal::~EndedOnSignal() {
  const SignalsHeld held;
  child_to_end = 0;
}

GuardedResults::GuardedResults(const std::filesystem::path& target)
    : held_(std::in_place), folder_(ResultsFolder::create(target)), removal_(folder_.leftovers()) {
  held_.reset();
}

GuardedResults::~GuardedResults() { held_.emplace(); }

void GuardedResults::commit() {
  const SignalsHeld held;
  folder_.commit();
  removal_.reset();
}

}  // namespace pipegraph
