#include "exec/training/resume.h"

#include "core/base/errors.h"
#include "exec/training/crc32.h"

namespace pipegraph {
namespace {

void check_same_on_all_ranks(const Checkpoint& checkpoint, Ranks& ranks) {
  const std::string mine = fmt::format("step {} (checksum {})", checkpoint.point.step,
                                       crc32_text(crc32(manifest_text(checkpoint))));
  const std::vector<std::string> all = ranks.all_gather(mine);
  for (std::size_t rank = 0; rank < all.size(); ++rank)
    if (all[rank] != all[0])
      throw ConfigError({.file = checkpoint.manifest.string()},
                        fmt::format("rank 0 sees {}, rank {} {}", all[0], rank, all[rank]),
                        "one folder of checkpoints that all ranks share");
}

}  // namespace

TrainingPoint resume(const Checkpoint& checkpoint, const TrainingPoint& present,
                     TrainingState& state, Ranks& ranks) {
  check_same_on_all_ranks(checkpoint, ranks);
  check_fits(checkpoint, present);
  restore(checkpoint, state);
  TrainingPoint point = present;
  point.step = checkpoint.point.step;
  point.samples = checkpoint.point.samples;
  return point;
}

}  // namespace pipegraph
