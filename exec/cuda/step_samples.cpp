#include "exec/cuda/step_samples.h"

#include "core/base/errors.h"

namespace pipegraph {

namespace {

constexpr std::size_t k_alignment = 64;

}  // namespace

StepSamples::StepSamples(const DevicePasses& passes) {
  std::size_t bytes = 0;
  for (const InstructionId id : passes.tables().model().order.on(passes.device())) {
    if (!is_pass(passes.tables().program().at(id).kind)) continue;
    for (const Step& step : passes.steps_of(id)) {
      const auto* const read = std::get_if<ReadStep>(&step);
      if (read == nullptr) continue;
      reads_.push_back({read, bytes});
      bytes += (read->bytes.count + k_alignment - 1) / k_alignment * k_alignment;
    }
  }
  memory_ = allocate_pinned(Bytes{bytes});
}

void StepSamples::fill(const StepOrder& order) {
  for (const Read& read : reads_) read_samples(order, *read.step, memory_.get() + read.offset);
}

const std::byte* StepSamples::next() {
  check(!reads_.empty(), "a pass that reads was counted");
  const std::byte* const place = memory_.get() + reads_[next_].offset;
  next_ = (next_ + 1) % reads_.size();
  return place;
}

}  // namespace pipegraph
