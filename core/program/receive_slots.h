// A limit on the receive slots of each channel: recv k waits on the last consumer of recv k - n.
// Until that one is known, messages are held back in their channel's order.
#pragma once

#include <cstdint>
#include <optional>
#include <unordered_map>
#include <vector>

#include "core/base/ids.h"

namespace pipegraph {

class ReceiveSlots {
 public:
  /// `per_channel` 0: no limit, and everything below is free of cost.
  explicit ReceiveSlots(std::int32_t per_channel)
      : per_channel_(static_cast<std::size_t>(per_channel)) {}

  bool limited() const { return per_channel_ > 0; }
  /// Whether the channel's next recv has a slot whose last consumer is known.
  bool has_slot(std::int32_t channel) const;
  /// That consumer; none if the slot has never been used.
  std::optional<InstructionId> slot_free_after(std::int32_t channel) const;
  /// The channel's next recv has been issued and has so many consumers. If it was issued without a
  /// slot, `consumed` will tell when its consumer is known.
  void issued(std::int32_t channel, InstructionId recv, std::size_t consumers);

  struct Freed {
    std::int32_t channel = 0;
    InstructionId waiting;  ///< a recv issued without a slot that has to wait for this consumer
  };
  /// `pass` uses `recv`; what that frees, if it was the last one.
  std::optional<Freed> consumed(InstructionId recv, InstructionId pass);

 private:
  struct Use {
    std::size_t consumers = 0;  ///< not issued yet
    InstructionId last;
  };
  struct Channel {
    std::vector<Use> uses;             ///< by number of the recv
    std::vector<InstructionId> recvs;  ///< their ids
  };
  struct Place {
    std::int32_t channel = 0;
    std::size_t number = 0;
  };
  /// The use that the channel's next recv has to wait for; none if its slot is fresh.
  const Use* use_before_next(std::int32_t channel) const;

  std::size_t per_channel_;
  std::vector<Channel> channels_;
  std::unordered_map<InstructionId, Place> places_;
};

}  // namespace pipegraph
