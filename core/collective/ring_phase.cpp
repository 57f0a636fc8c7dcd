#include "core/collective/ring_phase.h"

#include <algorithm>
#include <map>
#include <utility>

namespace pipegraph {
namespace {

std::int32_t cyclic(std::int32_t position, std::int32_t size) {
  const std::int32_t rest = position % size;
  return rest < 0 ? rest + size : rest;
}

std::int32_t size_of(const Ring& ring) { return static_cast<std::int32_t>(ring.members.size()); }

ChunkRange block(const Ring& ring, std::int32_t index) {
  const std::int32_t size = size_of(ring);
  const std::int32_t width = (ring.chunks.last - ring.chunks.first) / size;
  const std::int32_t first = ring.chunks.first + cyclic(index, size) * width;
  return {first, first + width};
}

}  // namespace

RingSchedule::RingSchedule(double bytes, std::int32_t chunks, std::size_t members)
    : chunk_bytes_(bytes / chunks), last_(members) {
  list_.chunks = chunks;
}

ChunkRange RingSchedule::owned(const Ring& ring, std::int32_t position) {
  return block(ring, position + 1);
}

void RingSchedule::add(const Ring& ring, RingTrip trip, RingFidelity fidelity) {
  if (ring.members.size() < 2) return;
  if (fidelity == RingFidelity::Stepwise) {
    add_stepwise(ring, trip);
  } else {
    add_aggregated(ring);
  }
}

void RingSchedule::add_stepwise(const Ring& ring, RingTrip trip) {
  const std::int32_t size = size_of(ring);
  const std::int32_t ahead = trip == RingTrip::Scatter ? 0 : 1;
  for (std::int32_t round = 0; round + 1 < size; ++round) {
    std::vector<std::vector<std::int32_t>> latest(ring.members.size());
    for (std::int32_t position = 0; position < size; ++position) {
      const std::int32_t next = cyclic(position + 1, size);
      CollectiveStep step;
      step.from = ring.members[static_cast<std::size_t>(position)];
      step.to = ring.members[static_cast<std::size_t>(next)];
      step.chunks = block(ring, position + ahead - round);
      step.effect = trip == RingTrip::Scatter ? StepEffect::Add : StepEffect::Replace;
      const std::int32_t index = append(std::move(step));
      latest[static_cast<std::size_t>(position)].push_back(index);
      latest[static_cast<std::size_t>(next)].push_back(index);
    }
    for (std::size_t i = 0; i < latest.size(); ++i)
      last_[static_cast<std::size_t>(ring.members[i])] = std::move(latest[i]);
  }
}

void RingSchedule::add_aggregated(const Ring& ring) {
  const std::int32_t size = size_of(ring);
  std::vector<std::vector<std::int32_t>> latest(ring.members.size());
  for (std::int32_t position = 0; position < size; ++position) {
    const std::int32_t next = cyclic(position + 1, size);
    CollectiveStep step;
    step.from = ring.members[static_cast<std::size_t>(position)];
    step.to = ring.members[static_cast<std::size_t>(next)];
    step.chunks = {0, (size - 1) * ((ring.chunks.last - ring.chunks.first) / size)};
    step.extra_latencies = size - 2;
    step.effect = StepEffect::Folded;
    const std::int32_t index = append(std::move(step));
    latest[static_cast<std::size_t>(position)].push_back(index);
    latest[static_cast<std::size_t>(next)].push_back(index);
  }
  for (std::size_t i = 0; i < latest.size(); ++i)
    last_[static_cast<std::size_t>(ring.members[i])] = std::move(latest[i]);
}

std::int32_t RingSchedule::append(CollectiveStep step) {
  step.bytes = chunk_bytes_ * (step.chunks.last - step.chunks.first);
  step.after = last_[static_cast<std::size_t>(step.from)];
  std::ranges::sort(step.after);
  list_.steps.push_back(std::move(step));
  return static_cast<std::int32_t>(list_.steps.size()) - 1;
}

std::vector<std::int32_t> ring_order(const CollectiveMembers& members) {
  std::map<std::int32_t, std::int32_t> rank_of_node;  // looked up only, so the order is first use
  std::vector<std::int32_t> rank(members.size());
  std::vector<std::int32_t> order(members.size());
  for (std::size_t i = 0; i < members.size(); ++i) {
    const auto next = static_cast<std::int32_t>(rank_of_node.size());
    rank[i] = rank_of_node.try_emplace(members.node[i], next).first->second;
    order[i] = static_cast<std::int32_t>(i);
  }
  std::ranges::stable_sort(order, {},
                           [&](std::int32_t i) { return rank[static_cast<std::size_t>(i)]; });
  return order;
}

}  // namespace pipegraph
