// A thread for each device, which rests between tasks.
#pragma once

#include <atomic>
#include <condition_variable>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <mutex>
#include <thread>
#include <vector>

#include "core/base/units.h"

namespace pipegraph {

/// Tasks must not throw.
class DeviceThreads {
 public:
  using Task = std::function<void(std::size_t place)>;

  /// `spin`: how long threads look out for the next task before they sleep.
  DeviceThreads(std::size_t count, Seconds spin);
  /// Waits for the threads to end; not before their task has.
  ~DeviceThreads();
  DeviceThreads(const DeviceThreads&) = delete;
  DeviceThreads& operator=(const DeviceThreads&) = delete;

  /// Starts `task` on all threads at once. The one before must have finished.
  void begin(Task task);
  /// Waits until all threads have finished the task, or for `at_most`. Whether they have.
  bool wait(Seconds at_most);

 private:
  void serve(std::size_t place);
  std::uint64_t next_task(std::uint64_t last);

  Seconds spin_;
  Task task_;
  std::atomic<std::uint64_t> started_{0};  ///< tasks so far
  bool ending_ = false;
  std::mutex mutex_;
  std::condition_variable begun_, finished_;
  std::size_t busy_ = 0;
  std::vector<std::thread> threads_;
};

}  // namespace pipegraph
