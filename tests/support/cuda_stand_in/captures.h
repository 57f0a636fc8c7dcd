// Capture: streams that, instead of acting, note what they are given, and graphs that give it to
// streams of their own again and again.
#pragma once

#include <algorithm>
#include <cstddef>
#include <map>
#include <memory>
#include <string>
#include <vector>

#include "tests/support/cuda_stand_in/engine.h"
#include "tests/support/cuda_stand_in/events.h"

namespace pipegraph::cuda_stand_in {

/// What one stream noted, in its order.
struct CapturedStream {
  int device = 0;
  std::vector<Operation> operations;
};

struct CapturedGraph {
  std::vector<std::unique_ptr<CapturedStream>> streams;  ///< the first is where capture began
  std::size_t records = 0;
};

/// One that is under way. All with the engine's lock held.
class Capture {
 public:
  explicit Capture(Stream& root) { join(root); }

  bool is_root(const Stream& stream) const { return &stream == streams_.front(); }
  bool contains(const Stream& stream) const {
    return std::ranges::find(streams_, &stream) != streams_.end();
  }
  void join(Stream& stream);
  /// The number of an event that is recorded in it.
  std::size_t record(Stream& stream);
  void wait(Stream& stream, std::size_t record);
  /// Streams act again. Empty, or what is wrong: a stream whose work nobody waits for.
  std::string end();
  std::unique_ptr<CapturedGraph> take() { return std::move(graph_); }

 private:
  std::unique_ptr<CapturedGraph> graph_ = std::make_unique<CapturedGraph>();
  std::vector<Stream*> streams_;
};

/// The capture that a stream takes part in; null: none.
std::shared_ptr<Capture> capture_of(const Stream& stream);

/// For a fresh start; what was left, a line each.
std::vector<std::string> forget_captures();

/// Ready when the event's record is done.
Operation wait_operation(const std::shared_ptr<EventRecord>& record);
Operation record_operation(const std::shared_ptr<EventRecord>& record);

}  // namespace pipegraph::cuda_stand_in
