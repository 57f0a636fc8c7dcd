// Where other threads leave things for one thread, which may sleep until there is something.
#pragma once

#include <atomic>
#include <chrono>
#include <condition_variable>
#include <mutex>
#include <vector>

#include "core/base/units.h"

namespace pipegraph {

template <class T>
class Mailbox {
 public:
  /// Any thread.
  void put(const T& item) {
    bool wake = false;
    {
      const std::lock_guard lock(mutex_);
      items_.push_back(item);
      filled_.store(true, std::memory_order_release);
      wake = sleeping_;
    }
    if (wake) awake_.notify_one();
  }

  /// Moves everything there is into `taken`, whose contents are discarded. The owner's thread;
  /// costs one look at an atomic when there is nothing.
  void take(std::vector<T>& taken) {
    taken.clear();
    if (!filled_.load(std::memory_order_acquire)) return;
    const std::lock_guard lock(mutex_);
    taken.swap(items_);
    filled_.store(false, std::memory_order_relaxed);
  }

  /// Until there is something, until wake(), or for `at_most`. The owner's thread.
  void sleep(Seconds at_most) {
    std::unique_lock lock(mutex_);
    sleeping_ = true;
    awake_.wait_for(lock, at_most, [&] { return !items_.empty() || woken_; });
    sleeping_ = false;
  }

  /// Ends this sleep and all later ones.
  void wake() {
    {
      const std::lock_guard lock(mutex_);
      woken_ = true;
    }
    awake_.notify_one();
  }

  bool empty() {
    const std::lock_guard lock(mutex_);
    return items_.empty();
  }

 private:
  std::atomic<bool> filled_{false};
  std::mutex mutex_;
  std::condition_variable awake_;
  std::vector<T> items_;
  bool sleeping_ = false;
  bool woken_ = false;
};

}  // namespace pipegraph
