#include "apps/stop_signal.h"

#include <array>
#include <csignal>
#include <cstddef>

namespace pipegraph {
namespace {

constexpr std::array k_signals{SIGHUP, SIGINT, SIGTERM};

/// What the signals did before; written while nothing handles them.
std::array<struct sigaction, k_signals.size()> actions_before{};
volatile std::sig_atomic_t received_signal = 0;

void restore(int signal) {
  for (std::size_t i = 0; i < k_signals.size(); ++i)
    if (k_signals[i] == signal) ::sigaction(signal, &actions_before[i], nullptr);
}

extern "C" void note_signal(int signal) {
  received_signal = signal;
  restore(signal);
}

}  // namespace

StopSignal::StopSignal() {
  received_signal = 0;
  struct sigaction action {};
  action.sa_handler = note_signal;
  sigemptyset(&action.sa_mask);
  action.sa_flags = SA_RESTART;  // what was interrupted goes on
  for (std::size_t i = 0; i < k_signals.size(); ++i) {
    ::sigaction(k_signals[i], nullptr, &actions_before[i]);
    // nohup and background jobs ignore some of them, and go on doing so.
    if (actions_before[i].sa_handler != SIG_IGN) ::sigaction(k_signals[i], &action, nullptr);
  }
}

StopSignal::~StopSignal() {
  for (const int signal : k_signals) restore(signal);
}

int StopSignal::received() { return received_signal; }

}  // namespace pipegraph
