// Events: each record is an object of its own, so that a wait means the record that was the latest
// when the wait was enqueued.
#pragma once

#include <chrono>
#include <map>
#include <memory>
#include <optional>

#include "tests/support/cuda_stand_in/sanitizer.h"

namespace pipegraph::cuda_stand_in {

struct EventRecord {
  bool done = false;
  std::chrono::steady_clock::time_point at;
  Edge edge;
};

class Capture;

struct Event {
  int device = 0;
  bool timing = true;
  std::shared_ptr<EventRecord> latest = nullptr;  ///< null: never recorded
  std::weak_ptr<Capture> capture = {};            ///< that has its latest record, under this number
  std::size_t captured_record = 0;
};

/// With the engine's lock held.
class Events {
 public:
  Event* create(int device, bool timing) {
    auto event = std::make_unique<Event>(Event{.device = device, .timing = timing});
    Event* const key = event.get();
    return events_.emplace(key, std::move(event)).first->second.get();
  }
  bool destroy(Event* event) { return events_.erase(event) > 0; }
  bool exists(Event* event) const { return events_.contains(event); }
  std::size_t size() const { return events_.size(); }
  void clear() { events_.clear(); }

 private:
  std::map<Event*, std::unique_ptr<Event>> events_;
};

Events& events();

}  // namespace pipegraph::cuda_stand_in
