#include "apps/stop_signal.h"

namespace pipegraph {
namespace {

volatile std::sig_atomic_t received_signal = 0;

extern "C" void note_signal(int signal) { received_signal = signal; }

void handle(int signal, struct sigaction& before) {
  struct sigaction action {};
  action.sa_handler = note_signal;
  sigemptyset(&action.sa_mask);
  // The second one finds the default action; what was interrupted goes on.
  action.sa_flags = SA_RESETHAND | SA_RESTART;
  ::sigaction(signal, nullptr, &before);
  // nohup and background jobs ignore some of them, and go on doing so.
  if (before.sa_handler != SIG_IGN) ::sigaction(signal, &action, nullptr);
}

}  // namespace

StopSignal::StopSignal() {
  received_signal = 0;
  for (std::size_t i = 0; i < k_signals.size(); ++i) handle(k_signals[i], before_[i]);
}

StopSignal::~StopSignal() {
  for (std::size_t i = 0; i < k_signals.size(); ++i)
    ::sigaction(k_signals[i], &before_[i], nullptr);
}

int StopSignal::received() { return received_signal; }

}  // namespace pipegraph
