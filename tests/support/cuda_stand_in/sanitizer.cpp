#include "tests/support/cuda_stand_in/sanitizer.h"

#include <ucontext.h>

#include <atomic>
#include <cstdint>
#include <utility>

extern "C" {
#define PIPEGRAPH_WEAK __attribute__((weak))
// Names and types are the sanitizer's own.
// NOLINTBEGIN(readability-identifier-naming,bugprone-reserved-identifier)
PIPEGRAPH_WEAK void* __tsan_get_current_fiber();
PIPEGRAPH_WEAK void* __tsan_create_fiber(unsigned flags);
PIPEGRAPH_WEAK void __tsan_destroy_fiber(void* fiber);
PIPEGRAPH_WEAK void __tsan_switch_to_fiber(void* fiber, unsigned flags);
PIPEGRAPH_WEAK void __tsan_acquire(void* address);
PIPEGRAPH_WEAK void __tsan_release(void* address);
PIPEGRAPH_WEAK void __tsan_read_range(void* address, unsigned long bytes);
PIPEGRAPH_WEAK void __tsan_write_range(void* address, unsigned long bytes);
PIPEGRAPH_WEAK void AnnotateIgnoreSyncBegin(const char* file, int line);
PIPEGRAPH_WEAK void AnnotateIgnoreSyncEnd(const char* file, int line);
PIPEGRAPH_WEAK void AnnotateIgnoreReadsBegin(const char* file, int line);
PIPEGRAPH_WEAK void AnnotateIgnoreReadsEnd(const char* file, int line);
PIPEGRAPH_WEAK void AnnotateIgnoreWritesBegin(const char* file, int line);
PIPEGRAPH_WEAK void AnnotateIgnoreWritesEnd(const char* file, int line);
// NOLINTEND(readability-identifier-naming,bugprone-reserved-identifier)
}

namespace pipegraph::cuda_stand_in {

namespace {

constexpr unsigned k_without_an_edge = 1;

/// Scopes of Unseen that the running thread or fiber is in.
thread_local int g_unseen = 0;

/// Whether the sanitizer sees what streams do.
std::atomic<bool> g_watched{true};

/// Edges count all the same.
class UnseenAccesses {
 public:
  UnseenAccesses() {
    AnnotateIgnoreReadsBegin(__FILE__, __LINE__);
    AnnotateIgnoreWritesBegin(__FILE__, __LINE__);
  }
  ~UnseenAccesses() {
    AnnotateIgnoreWritesEnd(__FILE__, __LINE__);
    AnnotateIgnoreReadsEnd(__FILE__, __LINE__);
  }
  UnseenAccesses(const UnseenAccesses&) = delete;
  UnseenAccesses& operator=(const UnseenAccesses&) = delete;
};

/// Edges count inside Unseen too, where the sanitizer would ignore them.
template <class Act>
void seen(Act act) {
  for (int i = 0; i < g_unseen; ++i) AnnotateIgnoreSyncEnd(__FILE__, __LINE__);
  act();
  for (int i = 0; i < g_unseen; ++i) AnnotateIgnoreSyncBegin(__FILE__, __LINE__);
}

}  // namespace

void stop_watching_streams() { g_watched.store(false, std::memory_order_relaxed); }
void watch_streams() { g_watched.store(true, std::memory_order_relaxed); }

bool under_thread_sanitizer() { return __tsan_create_fiber != nullptr; }

Unseen::Unseen() {
  if (!under_thread_sanitizer()) return;
  AnnotateIgnoreSyncBegin(__FILE__, __LINE__);
  AnnotateIgnoreReadsBegin(__FILE__, __LINE__);
  AnnotateIgnoreWritesBegin(__FILE__, __LINE__);
  ++g_unseen;
}

Unseen::~Unseen() {
  if (!under_thread_sanitizer()) return;
  --g_unseen;
  AnnotateIgnoreWritesEnd(__FILE__, __LINE__);
  AnnotateIgnoreReadsEnd(__FILE__, __LINE__);
  AnnotateIgnoreSyncEnd(__FILE__, __LINE__);
}

namespace {

constexpr std::size_t k_stack_bytes = std::size_t{1} << 20;

/// What a fiber is to run, and where it goes on when it has.
template <class Call>
struct Switch {
  const Call& call;
  void* from;  ///< the caller's flow of control
  ucontext_t caller, callee;
};

/// makecontext passes ints only.
template <class Call>
void enter(unsigned high, unsigned low) {
  const auto address = static_cast<std::uintptr_t>(high) << 32 | low;
  const auto& change = *reinterpret_cast<const Switch<Call>*>(address);
  if (g_watched.load(std::memory_order_relaxed)) {
    change.call();
  } else {
    const UnseenAccesses unseen;
    change.call();
  }
  __tsan_switch_to_fiber(change.from, k_without_an_edge);
}

}  // namespace

Fiber::Fiber() {
  if (!under_thread_sanitizer()) return;
  fiber_ = __tsan_create_fiber(0);
  stack_.resize(k_stack_bytes);
}

Fiber::~Fiber() {
  if (fiber_ != nullptr) __tsan_destroy_fiber(fiber_);
}

void Fiber::run(const Call& call) {
  if (fiber_ == nullptr) return call();
  Switch<Call> change{call, __tsan_get_current_fiber(), {}, {}};
  getcontext(&change.callee);
  change.callee.uc_stack.ss_sp = stack_.data();
  change.callee.uc_stack.ss_size = stack_.size();
  change.callee.uc_link = &change.caller;
  const auto address = reinterpret_cast<std::uintptr_t>(&change);
  makecontext(&change.callee, reinterpret_cast<void (*)()>(enter<Call>), 2,
              static_cast<unsigned>(address >> 32), static_cast<unsigned>(address));
  const int unseen = std::exchange(g_unseen, 0);
  __tsan_switch_to_fiber(fiber_, k_without_an_edge);
  swapcontext(&change.caller, &change.callee);
  g_unseen = unseen;
}

void Edge::release() {
  if (under_thread_sanitizer()) seen([this] { __tsan_release(&address_); });
}

void Edge::acquire() {
  if (under_thread_sanitizer()) seen([this] { __tsan_acquire(&address_); });
}

void declare_read(const void* address, std::size_t bytes) {
  if (under_thread_sanitizer() && bytes > 0) __tsan_read_range(const_cast<void*>(address), bytes);
}

void declare_write(void* address, std::size_t bytes) {
  if (under_thread_sanitizer() && bytes > 0) __tsan_write_range(address, bytes);
}

}  // namespace pipegraph::cuda_stand_in
