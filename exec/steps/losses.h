// The losses of a step, collected from all devices and ranks.
#pragma once

#include <vector>

#include "exec/steps/training_devices.h"
#include "exec/transport/ranks.h"

namespace pipegraph {

/// Means over the mini-batch, added up in sample order whatever the plan, so that they do not
/// depend on it. Ascending by operator, on every rank.
std::vector<LossValue> collect_losses(const TrainingDevices& devices, Ranks& ranks);

}  // namespace pipegraph
