#include "tests/support/cuda_stand_in/engine.h"

#include <algorithm>

#include "tests/support/cuda_stand_in/captures.h"

namespace pipegraph::cuda_stand_in {

std::string Stream::name() const {
  return "stream " + std::to_string(number_) + " of device " + std::to_string(device_);
}

Engine::Engine(const Settings& settings) : settings_(settings), random_(settings.seed) {
  if (settings.pace != Pace::Eager) return;
  for (int i = 0; i < settings.workers; ++i) workers_.emplace_back([this] { work(); });
}

Engine::~Engine() {
  const Unseen unseen;
  {
    const Lock held = lock();
    ending_ = true;
  }
  moved_.notify_all();
  for (std::thread& worker : workers_) worker.join();
}

Stream* Engine::create(int device) {
  auto stream = std::make_unique<Stream>(created_++, device);
  Stream* const key = stream.get();
  streams_.emplace(key, std::move(stream));
  return key;
}

void Engine::destroy(Stream* stream) { streams_.erase(stream); }

void Engine::enqueue(Stream& stream, Operation operation) {
  if (stream.captured_ != nullptr) {
    stream.captured_->operations.push_back(std::move(operation));
    return;
  }
  operation.enqueued->release();
  if (operation.activity) activities().enqueued(*operation.activity);
  stream.queue_.push_back(std::make_unique<Operation>(std::move(operation)));
  changed();
}

void Engine::changed() {
  ++moves_;
  moved_.notify_all();
}

bool Engine::wait(Lock& lock, const std::string& what, const std::function<bool()>& done) {
  using Clock = std::chrono::steady_clock;
  std::uint64_t seen = moves_;
  auto since = Clock::now();
  while (!done()) {
    if (deadlocked_) return false;
    if (settings_.pace == Pace::Lazy && run_next(lock)) continue;
    if (moves_ != seen) {
      seen = moves_;
      since = Clock::now();
    }
    const bool running =
        std::ranges::any_of(streams_, [](const auto& entry) { return entry.second->running_; });
    if (!running && Clock::now() - since > settings_.patience) {
      deadlocked_ = true;
      add_finding("deadlock: a host waits for " + what + ", and nothing moves\n" + state());
      moved_.notify_all();
      return false;
    }
    moved_.wait_for(lock, std::chrono::milliseconds(2));
  }
  return true;
}

void Engine::step(Lock& lock) {
  if (settings_.pace == Pace::Lazy && !deadlocked_) run_next(lock);
}

bool Engine::runnable(const Stream& stream) const {
  if (stream.running_ || stream.queue_.empty()) return false;
  const Operation& head = *stream.queue_.front();
  // A device that has failed drops what it was given.
  return !head.ready || failed_devices_.contains(stream.device_) || head.ready();
}

bool Engine::run_next(Lock& lock) {
  std::vector<Stream*> ready;
  for (const auto& [key, stream] : streams_)
    if (runnable(*stream)) ready.push_back(stream.get());
  if (ready.empty()) return false;
  // Addresses differ from run to run, numbers do not.
  std::ranges::sort(ready, {}, [](const Stream* stream) { return stream->number_; });
  run(lock, *ready[random_() % ready.size()]);
  return true;
}

namespace {

/// On the stream's fiber. A kernel dies where it ran, and the sanitizer sees all of it.
bool perform(Operation& operation) {
  if (!operation.kernel) return operation.body();
  operation.kernel();
  operation.kernel = nullptr;
  return true;
}

}  // namespace

void Engine::run(Lock& lock, Stream& stream) {
  stream.running_ = true;
  Operation& operation = *stream.queue_.front();
  const bool fails = take_fault(operation.label);
  const bool skipped = failed_devices_.contains(stream.device_);
  if (fails) failed_devices_.emplace(stream.device_, operation.label);
  Edge& device_done = devices_done_[stream.device_];
  bool complete = true;
  const auto begun = std::chrono::steady_clock::now();
  lock.unlock();
  stream.fiber_.run([&] {
    operation.enqueued->acquire();
    if (!fails && !skipped) complete = perform(operation);
    if (!complete) return;
    stream.done_.release();
    device_done.release();
  });
  lock.lock();
  stream.running_ = false;
  if (complete && !fails && !skipped && operation.activity)
    activities().ended(*operation.activity, begun);
  if (complete) stream.queue_.pop_front();
  changed();
}

bool Engine::take_fault(const std::string& label) {
  for (OperationFault& fault : faults_)
    if (label.find(fault.label) != std::string::npos && --fault.left == 0) return true;
  return false;
}

void Engine::work() {
  const Unseen unseen;
  Lock held = lock();
  while (!ending_)
    if (deadlocked_ || !run_next(held)) moved_.wait_for(held, std::chrono::milliseconds(2));
}

std::string Engine::state() const {
  std::vector<const Stream*> streams;
  for (const auto& [key, stream] : streams_) streams.push_back(stream.get());
  std::ranges::sort(streams, {}, [](const Stream* stream) { return stream->number_; });
  std::string text;
  for (const Stream* stream : streams) {
    text += stream->name() + ": ";
    if (stream->queue_.empty()) {
      text += "idle\n";
      continue;
    }
    const Operation& head = *stream->queue_.front();
    text += head.label;
    if (head.waits_for) text += " waits for " + head.waits_for();
    if (stream->queue_.size() > 1)
      text += " (" + std::to_string(stream->queue_.size() - 1) + " behind it)";
    text += '\n';
  }
  return text;
}

}  // namespace pipegraph::cuda_stand_in
