#include "exec/device_threads.h"

#include <chrono>
#include <utility>

namespace pipegraph {

DeviceThreads::DeviceThreads(std::size_t count, Seconds spin) : spin_(spin) {
  threads_.reserve(count);
  for (std::size_t i = 0; i < count; ++i) threads_.emplace_back([this, i] { serve(i); });
}

DeviceThreads::~DeviceThreads() {
  {
    const std::lock_guard lock(mutex_);
    ending_ = true;
    started_.fetch_add(1);
  }
  begun_.notify_all();
  for (std::thread& thread : threads_) thread.join();
}

void DeviceThreads::begin(Task task) {
  {
    const std::lock_guard lock(mutex_);
    task_ = std::move(task);
    busy_ = threads_.size();
    started_.fetch_add(1, std::memory_order_release);
  }
  begun_.notify_all();
}

bool DeviceThreads::wait(Seconds at_most) {
  std::unique_lock lock(mutex_);
  return finished_.wait_for(lock, at_most, [&] { return busy_ == 0; });
}

void DeviceThreads::serve(std::size_t place) {
  std::uint64_t last = 0;
  for (;;) {
    last = next_task(last);
    if (ending_) return;
    task_(place);
    const std::lock_guard lock(mutex_);
    if (--busy_ == 0) finished_.notify_one();
  }
}

std::uint64_t DeviceThreads::next_task(std::uint64_t last) {
  const auto begin = std::chrono::steady_clock::now();
  while (std::chrono::steady_clock::now() - begin < spin_) {
    const std::uint64_t started = started_.load(std::memory_order_acquire);
    if (started != last) return started;
  }
  std::unique_lock lock(mutex_);
  begun_.wait(lock, [&] { return started_.load(std::memory_order_relaxed) != last; });
  return started_.load(std::memory_order_relaxed);
}

}  // namespace pipegraph
