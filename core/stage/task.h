// A task: one pass of one stage on one micro-batch.
#pragma once

#include <string>

#include "core/base/ids.h"
#include "core/model/cost_model.h"
#include "core/stage/micro_batch.h"

namespace pipegraph {

struct Task {
  StageId stage;
  Pass pass = Pass::Forward;
  MicroBatch samples;  ///< the stage's whole micro-batch, whatever the replica's share
  bool operator==(const Task&) const = default;
};

/// "F2[0,4)", "B2[0,4)".
std::string to_text(const Task& task);

}  // namespace pipegraph
