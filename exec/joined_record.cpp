#include "exec/joined_record.h"

#include <algorithm>
#include <span>

namespace pipegraph {
namespace {

void join(std::span<const InstructionId> together, RunRecord& record) {
  Seconds start = record.start[together.front().index()];
  Seconds end = record.end[together.front().index()];
  for (InstructionId id : together) {
    start = std::max(start, record.start[id.index()]);
    end = std::min(end, record.end[id.index()]);
  }
  for (InstructionId id : together) {
    record.start[id.index()] = start;
    record.end[id.index()] = std::max(start, end);
  }
}

}  // namespace

void join_counterparts(const Program& program, const Counterparts& counterparts,
                       RunRecord& record) {
  for (std::size_t i = 0; i < program.size(); ++i) {
    const auto send = make_id<InstructionId>(i);
    if (program.at(send).kind != InstructionKind::Send) continue;
    const InstructionId both[] = {send, counterparts.partner(send)};
    if (both[1].valid()) join(both, record);
  }
  for (std::size_t c = 0; c < counterparts.collectives(); ++c)
    join(counterparts.members(c), record);
}

}  // namespace pipegraph
