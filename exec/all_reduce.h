// All-reduces of one device over its transport's messages. Addends are added in the order in which
// the engine lists them, whatever the transport and the times, so that results have the same bits
// from run to run; unless the transport is there to add up in an order of its own.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <vector>

#include "core/program/program.h"
#include "exec/engine.h"
#include "exec/transport/channels.h"
#include "exec/transport/transport.h"

namespace pipegraph {

/// One member's part of one all-reduce.
class ReducingMember {
 public:
  virtual ~ReducingMember() = default;
  /// Posts what can be posted at once.
  virtual void begin() = 0;
  /// One of its messages has completed.
  virtual void arrived(const Arrival& arrival) = 0;
  virtual bool done() const = 0;
  /// When the last member was there; once done.
  virtual Seconds start() const = 0;
};

/// What a member works with; all must outlive it.
struct ReducingContext {
  const Program& program;
  const Channels& channels;
  Transport& transport;
  Engine& engine;
};

/// The all-reduces of a device that are under way: at most one on each lane.
class AllReducer {
 public:
  explicit AllReducer(const ReducingContext& context);
  ~AllReducer();

  /// The start of the all-reduce if it has completed at once (a group of one).
  std::optional<Seconds> start(InstructionId id, Seconds posted);
  /// A message of the all-reduce `arrival.instruction` has completed; its start if it was the last.
  std::optional<Seconds> arrived(const Arrival& arrival);

 private:
  struct Running {
    InstructionId id;
    std::unique_ptr<ReducingMember> member;
  };
  std::unique_ptr<ReducingMember> make_member(InstructionId id, Seconds posted);
  std::optional<Seconds> finish_if_done(std::size_t place);
  Piece scratch(LaneId lane, Bytes bytes);

  ReducingContext context_;
  std::vector<Running> running_;
  std::vector<std::pair<LaneId, Piece>> scratch_;
};

}  // namespace pipegraph
