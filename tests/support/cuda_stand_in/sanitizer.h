// What ThreadSanitizer learns of the stand-in: only the orderings that CUDA promises. Each stream
// is a fiber of its own, the stand-in's locks are invisible, and edges are declared one by one. The
// hooks are weak, so that one library serves builds with and without the sanitizer.
#pragma once

#include <cstddef>

namespace pipegraph::cuda_stand_in {

/// Whether this process runs under ThreadSanitizer.
bool under_thread_sanitizer();

/// Hides what the calling thread or fiber does from the sanitizer while it lives.
class Unseen {
 public:
  Unseen();
  ~Unseen();
  Unseen(const Unseen&) = delete;
  Unseen& operator=(const Unseen&) = delete;
};

/// The flow of control of a stream, as the sanitizer sees it.
class Fiber {
 public:
  Fiber();
  ~Fiber();
  Fiber(const Fiber&) = delete;
  Fiber& operator=(const Fiber&) = delete;

  /// What runs while it lives runs on the fiber.
  class Scope {
   public:
    explicit Scope(const Fiber& fiber);
    ~Scope();
    Scope(const Scope&) = delete;
    Scope& operator=(const Scope&) = delete;

   private:
    void* back_ = nullptr;
    int unseen_ = 0;  ///< scopes of Unseen of who switched
  };

 private:
  void* fiber_ = nullptr;
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
