#include "exec/passes/step_work.h"

#include <algorithm>
#include <span>

#include "core/base/errors.h"
#include "exec/kernels/bfloat16.h"

namespace pipegraph {

namespace {

void read_rounded(const StepOrder& order, const ReadStep& step, void* into) {
  std::vector<float> values(step.bytes.count / sizeof(kernels::BFloat16));
  order.data->read(step.op, order.first_sample + step.first_sample, values);
  std::copy(values.begin(), values.end(), static_cast<kernels::BFloat16*>(into));
}

}  // namespace

void read_samples(const StepOrder& order, const ReadStep& step, void* into) {
  check(order.data != nullptr, "a step has data");
  if (step.kind == ElementKind::Rounded) return read_rounded(order, step, into);
  const std::int64_t first = order.first_sample + step.first_sample;
  const auto count = static_cast<std::size_t>(step.bytes.count / sizeof(float));
  if (step.kind == ElementKind::Whole)
    order.data->read(step.op, first, std::span(static_cast<std::int32_t*>(into), count));
  else
    order.data->read(step.op, first, std::span(static_cast<float*>(into), count));
}

std::vector<Stretch> zero_at_begin(const DevicePasses& passes) {
  std::vector<Stretch> zeros;
  const auto whole = [&](Area area) {
    zeros.push_back({{area, {}}, passes.sizes()[static_cast<std::size_t>(area)]});
  };
  whole(Area::Accumulators);
  if (passes.tables().model().workload.training.optimizer == Optimizer::None)
    whole(Area::Gradients);
  return zeros;
}

}  // namespace pipegraph
