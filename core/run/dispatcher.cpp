#include "core/run/dispatcher.h"

#include <algorithm>

#include "core/base/errors.h"
#include "core/run/lane_order.h"

namespace pipegraph {
namespace {

constexpr std::uint32_t k_completed = ~std::uint32_t{0};

std::vector<InstructionId> instructions_of(const Program& program,
                                           std::span<const DeviceId> devices) {
  std::vector<char> wanted(program.device_count(), 0);
  for (DeviceId device : devices) {
    check(device.valid() && device.index() < wanted.size(), "a device of the program");
    wanted[device.index()] = 1;
  }
  std::vector<InstructionId> own;
  for (std::size_t i = 0; i < program.size(); ++i)
    if (wanted[program.instructions()[i].device.index()] != 0)
      own.push_back(make_id<InstructionId>(i));
  return own;
}

/// Calls `visit(predecessor)` for each instruction that `id` waits for, its lane's included, once.
template <class Visit>
void for_each_predecessor(const Program& program, InstructionId id, InstructionId before_on_lane,
                          Visit visit) {
  bool listed = false;
  for (InstructionId before : program.waits_on(id)) {
    visit(before);
    listed = listed || before == before_on_lane;
  }
  if (before_on_lane.valid() && !listed) visit(before_on_lane);
}

}  // namespace

Dispatcher::Dispatcher(const Program& program) : program_(program), all_(true) { build(); }

Dispatcher::Dispatcher(const Program& program, std::span<const DeviceId> devices)
    : program_(program), own_(instructions_of(program, devices)), all_(false) {
  build();
}

void Dispatcher::build() {
  const std::size_t size = all_ ? program_.size() : own_.size();
  remaining_ = size;
  missing_.assign(size, 0);
  dependent_begin_.assign(size + 1, 0);
  std::vector<InstructionId> before_on_lane;
  before_on_lane.reserve(size);
  LaneOrder lanes(program_);
  for (std::size_t i = 0; i < size; ++i) {
    const InstructionId id = global(i);
    before_on_lane.push_back(lanes.append(id));
    std::uint32_t missing = 0;
    for_each_predecessor(program_, id, before_on_lane.back(), [&](InstructionId before) {
      ++missing;
      ++dependent_begin_[local(before)];
    });
    missing_[i] = missing;
    if (missing == 0) initial_.push_back(id);
  }
  std::uint32_t end = 0;
  for (std::uint32_t& offset : dependent_begin_) offset = end += offset;
  dependents_.resize(end);
  // Filled from the back, each offset ends at the first dependent of its instruction.
  for (std::size_t i = size; i-- > 0;) {
    for_each_predecessor(program_, global(i), before_on_lane[i], [&](InstructionId before) {
      dependents_[--dependent_begin_[local(before)]] = static_cast<std::uint32_t>(i);
    });
  }
}

std::size_t Dispatcher::find(InstructionId id) const {
  const auto place = std::ranges::lower_bound(own_, id);
  check(place != own_.end() && *place == id, "an instruction of another device");
  return static_cast<std::size_t>(place - own_.begin());
}

std::span<const InstructionId> Dispatcher::complete(InstructionId done) {
  const std::size_t at = local(done);
  if (missing_[at] != 0) [[unlikely]] {
    throw InternalError(fmt::format(
        "instruction {} {}", done.value,
        missing_[at] == k_completed ? "completed twice" : "completed although it was not ready"));
  }
  missing_[at] = k_completed;
  --remaining_;
  ready_.clear();
  for (std::uint32_t i = dependent_begin_[at]; i < dependent_begin_[at + 1]; ++i)
    if (--missing_[dependents_[i]] == 0) ready_.push_back(global(dependents_[i]));
  return ready_;
}

bool Dispatcher::completed(InstructionId id) const { return missing_[local(id)] == k_completed; }

bool Dispatcher::ready(InstructionId id) const {
  const std::uint32_t missing = missing_[local(id)];
  return missing == 0 || missing == k_completed;
}

}  // namespace pipegraph
