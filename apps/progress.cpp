// The signal handler may only use what is safe in one: it fills a buffer of its own and calls
// write().
#include "apps/progress.h"

#include <fmt/format.h>
#include <sys/mman.h>
#include <sys/time.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <atomic>
#include <cerrno>
#include <cmath>
#include <csignal>
#include <cstdint>
#include <cstring>
#include <ctime>
#include <new>
#include <string_view>

#include "core/base/errors.h"

namespace pipegraph {
namespace {

constexpr int k_width = 30;
constexpr std::int64_t k_silent_ms = 2000;
constexpr std::size_t k_longest_label = 40;

std::int64_t now_ms() {
  timespec time{};
  ::clock_gettime(CLOCK_MONOTONIC, &time);
  return std::int64_t{time.tv_sec} * 1000 + time.tv_nsec / 1'000'000;
}

/// A line built without allocation.
class Line {
 public:
  Line& operator<<(std::string_view text) {
    const std::size_t length = std::min(text.size(), buffer_.size() - size_);
    std::memcpy(buffer_.data() + size_, text.data(), length);
    size_ += length;
    return *this;
  }
  Line& operator<<(std::int64_t number) {
    std::array<char, 24> digits{};
    std::size_t at = digits.size();
    do {
      digits[--at] = static_cast<char>('0' + number % 10);
      number /= 10;
    } while (number > 0 && at > 0);
    return *this << std::string_view(digits.data() + at, digits.size() - at);
  }
  std::string_view text() const { return {buffer_.data(), size_}; }

 private:
  std::array<char, 200> buffer_{};
  std::size_t size_ = 0;
};

void append_progress(Line& line, double fraction, std::int64_t elapsed_ms, std::string_view label) {
  const int done = static_cast<int>(fraction * k_width);
  line << "[";
  for (int i = 0; i < k_width; ++i) line << (i < done ? "#" : ".");
  line << "] " << static_cast<std::int64_t>(fraction * 100) << " % " << label << ", ";
  if (fraction <= 0.0) {
    line << elapsed_ms / 1000 << " s so far";
    return;
  }
  const double left_ms = static_cast<double>(elapsed_ms) * (1.0 - fraction) / fraction;
  line << static_cast<std::int64_t>(std::lround(left_ms / 1000.0)) << " s left";
}

/// Parts of the present step. The page that holds them is shared with child processes.
struct Parts {
  std::atomic<std::uint64_t> done{0};
  std::atomic<std::uint64_t> total{0};
};

/// Never unmapped: a child may still count.
Parts& shared_parts() {
  static Parts* const parts = [] {
    void* page =
        ::mmap(nullptr, sizeof(Parts), PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
    if (page == MAP_FAILED) throw MachineError("no memory for a progress bar");
    return new (page) Parts;
  }();
  return *parts;
}

/// What the handler reads. The label is replaced only while the timer's signal is blocked.
struct State {
  std::atomic<int> descriptor{-1};
  std::atomic<std::size_t> step{0};
  std::atomic<std::size_t> steps{1};
  std::atomic<Parts*> parts{nullptr};
  std::atomic<std::int64_t> start_ms{0};
  std::atomic<bool> drawn{false};
  std::array<char, k_longest_label> label{};
  std::size_t label_size = 0;
};
State g_state;

void write_to(int descriptor, std::string_view text) {
  [[maybe_unused]] const ssize_t ignored = ::write(descriptor, text.data(), text.size());
}

double present_fraction() {
  const Parts& parts = *g_state.parts;
  const auto total = static_cast<double>(parts.total);
  const double within = total > 0.0 ? static_cast<double>(parts.done) / total : 0.0;
  return (static_cast<double>(g_state.step) + std::min(within, 1.0)) /
         static_cast<double>(g_state.steps);
}

void draw(int /*signal*/) {
  const int saved = errno;
  const std::int64_t elapsed = now_ms() - g_state.start_ms;
  if (elapsed >= k_silent_ms) {
    Line line;
    line << "\r\x1b[K";
    append_progress(line, present_fraction(), elapsed, {g_state.label.data(), g_state.label_size});
    write_to(g_state.descriptor, line.text());
    g_state.drawn = true;
  }
  errno = saved;
}

void set_timer(int milliseconds) {
  itimerval timer{};
  timer.it_interval.tv_usec = suseconds_t{1000} * milliseconds;
  timer.it_value = timer.it_interval;
  ::setitimer(ITIMER_REAL, &timer, nullptr);
}

}  // namespace

std::string progress_line(double fraction, double elapsed_s, const std::string& label) {
  Line line;
  append_progress(line, fraction, static_cast<std::int64_t>(elapsed_s * 1000.0), label);
  return std::string(line.text());
}

Progress::Progress(const Console& console, std::size_t steps)
    : active_(::isatty(::fileno(console.err)) != 0) {
  g_state.parts = &shared_parts();
  if (!active_) return;
  g_state.descriptor = ::fileno(console.err);
  g_state.step = 0;
  g_state.steps = std::max<std::size_t>(steps, 1);
  g_state.start_ms = now_ms();
  g_state.drawn = false;
  g_state.label_size = 0;
  struct sigaction action {};
  action.sa_handler = draw;
  action.sa_flags = SA_RESTART;
  ::sigaction(SIGALRM, &action, nullptr);
  set_timer(500);
}

Progress::~Progress() {
  if (!active_) return;
  set_timer(0);
  std::signal(SIGALRM, SIG_IGN);
  if (g_state.drawn) write_to(g_state.descriptor, "\r\x1b[K");
}

void Progress::begin(std::size_t index, const std::string& label) {
  if (!active_) return;
  sigset_t alarm, before;
  ::sigemptyset(&alarm);
  ::sigaddset(&alarm, SIGALRM);
  ::sigprocmask(SIG_BLOCK, &alarm, &before);
  g_state.label_size = std::min(label.size(), k_longest_label);
  std::memcpy(g_state.label.data(), label.data(), g_state.label_size);
  g_state.step = index;
  shared_parts().total = 0;
  ::sigprocmask(SIG_SETMASK, &before, nullptr);
}

std::atomic<std::uint64_t>& Progress::parts(std::uint64_t total) {
  Parts& parts = shared_parts();
  parts.done = 0;
  parts.total = total;
  return parts.done;
}

}  // namespace pipegraph
