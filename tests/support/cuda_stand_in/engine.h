// Streams as queues of operations: which head is ready, which goes next, and what it means when
// none is. One lock guards all; bodies run without it, on the fiber of their stream.
#pragma once

#include <condition_variable>
#include <deque>
#include <functional>
#include <map>
#include <memory>
#include <mutex>
#include <optional>
#include <random>
#include <string>
#include <thread>
#include <utility>
#include <vector>

#include "tests/support/cuda_stand_in/activities.h"
#include "tests/support/cuda_stand_in/control.h"
#include "tests/support/cuda_stand_in/sanitizer.h"

namespace pipegraph::cuda_stand_in {

/// One thing that a stream does.
struct Operation {
  std::string label;
  std::function<bool()> ready;             ///< under the lock; null: at once
  std::function<bool()> body;              ///< without it; false: to be called again when ready
  std::function<void()> kernel;            ///< a test's or backend's own code, in place of a body
  std::function<std::string()> waits_for;  ///< under the lock; null: nothing to say
  /// Of a stream that is captured: the number of the event that is recorded or waited for.
  std::optional<std::size_t> captured_record, captured_wait;
  std::optional<Activity> activity;  ///< what a profiler sees of it; none: nothing
  std::shared_ptr<Edge> enqueued = std::make_shared<Edge>();
};

struct CapturedStream;

class Stream {
 public:
  Stream(int number, int device) : number_(number), device_(device) {}
  int device() const { return device_; }
  std::string name() const;
  bool idle() const { return queue_.empty(); }
  /// Where what it is given is noted instead; null: it acts.
  CapturedStream* captured() const { return captured_; }
  void capture_into(CapturedStream* captured) { captured_ = captured; }

 private:
  friend class Engine;
  int number_;
  int device_;
  bool running_ = false;
  CapturedStream* captured_ = nullptr;
  std::deque<std::unique_ptr<Operation>> queue_;
  Fiber fiber_;
  Edge done_;  ///< all that has completed
};

class Engine {
 public:
  using Lock = std::unique_lock<std::mutex>;

  explicit Engine(const Settings& settings);
  ~Engine();

  const Settings& settings() const { return settings_; }
  Lock lock() { return Lock(mutex_); }

  Stream* create(int device);
  void destroy(Stream* stream);
  bool exists(const Stream* stream) const { return streams_.contains(const_cast<Stream*>(stream)); }
  const std::map<Stream*, std::unique_ptr<Stream>>& streams() const { return streams_; }

  /// With the lock held.
  void enqueue(Stream& stream, Operation operation);
  /// Waits, running operations if the pace is lazy, until `done` (under the lock) holds. False:
  /// deadlock, which is a finding, or the engine had failed before.
  bool wait(Lock& lock, const std::string& what, const std::function<bool()>& done);
  /// For callers that ask instead of waiting: lets the device go one step on if the pace is lazy.
  void step(Lock& lock);
  /// What the stream has completed happens before what the caller does next.
  void acquire(Stream& stream) { stream.done_.acquire(); }
  /// The same for all streams of a device, those that are destroyed too.
  void acquire(int device) { devices_done_[device].acquire(); }
  /// Something that operations may be waiting for has changed.
  void changed();

  std::string state() const;  ///< with the lock held
  void add_finding(const std::string& text) { findings_.push_back(text); }
  std::vector<std::string> take_findings() { return std::exchange(findings_, {}); }
  bool deadlocked() const { return deadlocked_; }

  /// Fails the nth operation from now whose label contains `label`.
  void fail_operation(const std::string& label, int nth) { faults_.push_back({label, nth}); }
  bool failed(int device) const { return failed_devices_.contains(device); }

 private:
  struct OperationFault {
    std::string label;
    int left = 0;
  };

  bool run_next(Lock& lock);
  void run(Lock& lock, Stream& stream);
  bool take_fault(const std::string& label);
  void work();
  bool runnable(const Stream& stream) const;

  Settings settings_;
  mutable std::mutex mutex_;
  std::condition_variable moved_;
  std::map<Stream*, std::unique_ptr<Stream>> streams_;
  int created_ = 0;
  std::mt19937_64 random_;
  std::uint64_t moves_ = 0;
  bool deadlocked_ = false;
  bool ending_ = false;
  std::vector<std::string> findings_;
  std::vector<OperationFault> faults_;
  std::map<int, std::string> failed_devices_;
  std::map<int, Edge> devices_done_;
  std::vector<std::thread> workers_;
};

/// The one engine of the process.
Engine& engine();

}  // namespace pipegraph::cuda_stand_in
