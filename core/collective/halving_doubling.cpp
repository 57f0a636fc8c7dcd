#include <algorithm>
#include <bit>
#include <utility>

#include "core/collective/algorithms.h"

namespace pipegraph {
namespace {

/// Exchanges between partners, each member's steps waiting for its latest send and receive.
class Exchange {
 public:
  Exchange(double chunk_bytes, StepList& list, std::size_t members)
      : chunk_bytes_(chunk_bytes), list_(list), last_(members), next_(members) {}

  void send(std::int32_t from, std::int32_t to, ChunkRange chunks, StepEffect effect) {
    const auto index = static_cast<std::int32_t>(list_.steps.size());
    list_.steps.push_back({from, to, chunk_bytes_ * (chunks.last - chunks.first), 0.0, chunks,
                           effect, last_[static_cast<std::size_t>(from)]});
    next_[static_cast<std::size_t>(from)].push_back(index);
    next_[static_cast<std::size_t>(to)].push_back(index);
  }

  /// Later sends of a member wait for what it sent and received in this round.
  void end_round() {
    for (std::size_t i = 0; i < next_.size(); ++i) {
      if (next_[i].empty()) continue;
      last_[i] = std::move(next_[i]);
      next_[i].clear();
    }
  }

 private:
  double chunk_bytes_;
  StepList& list_;
  std::vector<std::vector<std::int32_t>> last_, next_;
};

}  // namespace

StepList halving_doubling_steps(double bytes, const CollectiveMembers& members) {
  StepList list;
  const auto size = static_cast<std::int32_t>(members.size());
  if (size < 2) return list;
  const auto core = static_cast<std::int32_t>(std::bit_floor(members.size()));
  list.chunks = core;
  Exchange exchange(bytes / core, list, members.size());
  const ChunkRange all{0, core};
  for (std::int32_t extra = core; extra < size; ++extra)
    exchange.send(extra, extra - core, all, StepEffect::Add);
  exchange.end_round();
  // At distance s the partners hold the same 2 s chunks; each keeps the half its own index is in.
  const auto half = [](std::int32_t member, std::int32_t distance) {
    const std::int32_t first = member / distance * distance;
    return ChunkRange{first, first + distance};
  };
  for (std::int32_t distance = core / 2; distance >= 1; distance /= 2) {
    for (std::int32_t member = 0; member < core; ++member)
      exchange.send(member, member ^ distance, half(member ^ distance, distance), StepEffect::Add);
    exchange.end_round();
  }
  for (std::int32_t distance = 1; distance < core; distance *= 2) {
    for (std::int32_t member = 0; member < core; ++member)
      exchange.send(member, member ^ distance, half(member, distance), StepEffect::Replace);
    exchange.end_round();
  }
  for (std::int32_t extra = core; extra < size; ++extra)
    exchange.send(extra - core, extra, all, StepEffect::Replace);
  return list;
}

}  // namespace pipegraph
