// What ThreadSanitizer learns of the stand-in: only the orderings that CUDA promises. Each stream
// is a fiber of its own, the stand-in's locks are invisible, and edges are declared one by one. The
// hooks are weak, so that one library serves builds with and without the sanitizer.
#pragma once

#include <cstddef>
#include <vector>

namespace pipegraph::cuda_stand_in {

/// Whether this process runs under ThreadSanitizer.
bool under_thread_sanitizer();

/// From now on, until watch_streams(), the sanitizer sees nothing of what streams do: for tests
/// that one report is enough for, since each takes milliseconds.
void stop_watching_streams();
void watch_streams();

/// Hides what the calling thread or fiber does from the sanitizer while it lives.
class Unseen {
 public:
  Unseen();
  ~Unseen();
  Unseen(const Unseen&) = delete;
  Unseen& operator=(const Unseen&) = delete;
};

/// The flow of control of a stream, as the sanitizer sees it: with a stack of its own, since it
/// would take what shares an address for shared.
class Fiber {
 public:
  Fiber();
  ~Fiber();
  Fiber(const Fiber&) = delete;
  Fiber& operator=(const Fiber&) = delete;

  /// Runs `act` on the fiber, which must not throw; without the sanitizer on the caller's stack.
  /// Not by way of a std::function: the linker may take its code from a test, where the sanitizer
  /// sees it read the caller's stack.
  template <class Act>
  void run(const Act& act) {
    run(Call{[](const void* of) { (*static_cast<const Act*>(of))(); }, &act});
  }

 private:
  struct Call {
    void (*function)(const void*);
    const void* act;
    void operator()() const { function(act); }
  };
  void run(const Call& call);

  void* fiber_ = nullptr;
  std::vector<char> stack_;
};

/// A promised ordering: all before release() happens before all after an acquire() that follows it.
class Edge {
 public:
  void release();
  void acquire();

 private:
  char address_ = 0;
};

/// Tells of accesses that uninstrumented code makes.
void declare_read(const void* address, std::size_t bytes);
void declare_write(void* address, std::size_t bytes);

}  // namespace pipegraph::cuda_stand_in
