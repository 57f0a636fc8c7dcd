#include "exec/cuda/uploads.h"

#include <algorithm>

#include "core/base/errors.h"

namespace pipegraph {

namespace {

constexpr std::uint64_t k_alignment = 64;

Bytes aligned(Bytes bytes) {
  return Bytes{(bytes.count + k_alignment - 1) / k_alignment * k_alignment};
}

}  // namespace

Bytes most_read(const DevicePasses& passes) {
  Bytes most;
  const Program& program = passes.tables().program();
  for (const InstructionId id : passes.tables().model().order.on(passes.device())) {
    if (!is_pass(program.at(id).kind)) continue;
    Bytes read;
    for (const Step& step : passes.steps_of(id))
      if (const auto* reads = std::get_if<ReadStep>(&step)) read += aligned(reads->bytes);
    most = std::max(most, read);
  }
  return most;
}

Uploads::Uploads(Bytes per_pass, std::size_t passes_under_way)
    : per_pass_(per_pass), slots_(passes_under_way) {
  for (Slot& slot : slots_) slot = {allocate_pinned(per_pass), make_event(), false};
}

void Uploads::begin_pass() {
  current_ = (current_ + 1) % slots_.size();
  used_ = {};
  Slot& slot = slots_[current_];
  if (slot.in_use) PIPEGRAPH_CUDA(cudaEventSynchronize(slot.copied.get()));
  slot.in_use = false;
}

std::byte* Uploads::take(Bytes bytes) {
  check(used_ + aligned(bytes) <= per_pass_, "a pass reads no more than was counted");
  std::byte* const memory = slots_[current_].memory.get() + used_.count;
  used_ += aligned(bytes);
  return memory;
}

void Uploads::end_pass(cudaStream_t stream) {
  if (used_.count == 0) return;
  PIPEGRAPH_CUDA(cudaEventRecord(slots_[current_].copied.get(), stream));
  slots_[current_].in_use = true;
}

}  // namespace pipegraph
