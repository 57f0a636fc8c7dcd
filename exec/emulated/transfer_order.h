// Lets the transfers of a device pass one after the other in the program's order, as a single queue
// would.
#pragma once

#include <map>
#include <optional>
#include <vector>

#include "core/program/program.h"
#include "exec/transport/transport.h"

namespace pipegraph {

class TransferOrder {
 public:
  TransferOrder(const Program& program, DeviceId device);

  void post(const MessageHalf& half);
  /// The half whose turn it is, once, if it has been posted.
  std::optional<MessageHalf> next();
  /// The half that passed has completed. Others are ignored.
  void arrived(InstructionId half);

 private:
  std::vector<InstructionId> transfers_;  ///< in order
  std::size_t turn_ = 0;                  ///< begins again with each step
  bool passed_ = false;                   ///< the one whose turn it is has passed
  std::map<InstructionId, MessageHalf> posted_;
};

}  // namespace pipegraph
