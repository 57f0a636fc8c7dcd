#include "core/program/hand_overs.h"

#include <algorithm>
#include <numeric>

namespace pipegraph {

HandOvers::HandOvers(const ComputationGraph& graph, const StageGraph& stages,
                     const TaskSlots& slots, ProgramBuilder& builder, const LaneChooser& lanes)
    : graph_(graph),
      stages_(stages),
      slots_(slots),
      builder_(builder),
      lanes_(lanes),
      flows_(graph, stages) {
  std::size_t size = 0;
  for (const Direction direction : {Direction::Forward, Direction::Backward}) {
    auto& shapes = shapes_[static_cast<std::size_t>(direction)];
    for (std::size_t s = 0; s < stages.size(); ++s) {
      const auto stage = make_id<StageId>(s);
      shapes.push_back(shapes_of(stage, direction));
      shapes.back().begin = size;
      size += static_cast<std::size_t>(shapes.back().count) *
              static_cast<std::size_t>(stages.at(stage).replicas());
    }
  }
  hand_overs_.resize(size);
}

HandOvers::Shapes HandOvers::shapes_of(StageId stage, Direction direction) const {
  const SharePartition& own = slots_.partition(stage);
  const std::int32_t count = own.count();
  const std::int64_t batch = own.whole(0).samples();
  Shapes shapes;
  shapes.irregular = own.whole(count - 1).samples() < batch ? count - 1 : count;
  std::int64_t repeat = batch;  // samples after which the cuts of all consumers come again
  for (const StageFlow& flow : flows_.from(stage, direction)) {
    const SharePartition& other = slots_.partition(flow.consumer);
    const MicroBatch last = other.whole(other.count() - 1);
    if (last.samples() < other.whole(0).samples())
      shapes.irregular = std::min(shapes.irregular, own.index_of(last.first));
    if (repeat / batch < count)
      repeat = std::lcm(repeat, static_cast<std::int64_t>(other.whole(0).samples()));
  }
  shapes.period = static_cast<std::int32_t>(
      std::max<std::int64_t>(1, std::min<std::int64_t>(repeat / batch, shapes.irregular)));
  shapes.count = shapes.period + (count - shapes.irregular);
  return shapes;
}

HandOver HandOvers::of(StageId stage, Direction direction, std::int32_t micro_batch,
                       std::int32_t replica) {
  const Shapes& shapes = shapes_[static_cast<std::size_t>(direction)][stage.index()];
  Stored& stored =
      hand_overs_[shapes.begin +
                  static_cast<std::size_t>(replica) * static_cast<std::size_t>(shapes.count) +
                  static_cast<std::size_t>(shapes.of(micro_batch))];
  if (!stored.known) stored = make(stage, direction, micro_batch, replica);
  const std::span<const Message> messages(messages_);
  const std::span<const Consumer> consumers(consumers_);
  return {messages.subspan(stored.messages_begin, stored.messages_end - stored.messages_begin),
          consumers.subspan(stored.on_device_begin, stored.on_device_end - stored.on_device_begin)};
}

std::vector<HandOvers::Demand> HandOvers::demands(StageId stage, Direction direction,
                                                  std::int32_t micro_batch,
                                                  std::int32_t replica) const {
  const SharePartition& own = slots_.partition(stage);
  const MicroBatch samples = own.share(micro_batch, replica);
  const std::int32_t origin = own.whole(micro_batch).first;
  std::vector<Demand> result;
  for (const StageFlow& flow : flows_.from(stage, direction)) {
    const SharePartition& other = slots_.partition(flow.consumer);
    const Stage& consumer = stages_.at(flow.consumer);
    other.for_each_overlapping(samples, [&](std::int32_t index, std::int32_t r) {
      result.push_back({replica_device(consumer, r),
                        intersection(other.share(index, r), samples),
                        &flow,
                        {flow.consumer, r, other.whole(index).first - origin}});
    });
  }
  std::stable_sort(result.begin(), result.end(), [](const Demand& a, const Demand& b) {
    return std::pair(a.device, a.samples) < std::pair(b.device, b.samples);
  });
  return result;
}

HandOvers::Stored HandOvers::make(StageId stage, Direction direction, std::int32_t micro_batch,
                                  std::int32_t replica) {
  const DeviceId own_device = replica_device(stages_.at(stage), replica);
  const std::int32_t origin = slots_.partition(stage).whole(micro_batch).first;
  const std::vector<Demand> all = demands(stage, direction, micro_batch, replica);
  Stored hand_over;
  hand_over.known = true;
  hand_over.messages_begin = static_cast<std::uint32_t>(messages_.size());
  for (auto begin = all.begin(); begin != all.end();) {
    MicroBatch samples = begin->samples;
    auto end = begin + 1;
    for (; end != all.end() && end->device == begin->device && end->samples.first <= samples.last;
         ++end)
      samples.last = std::max(samples.last, end->samples.last);
    if (begin->device != own_device)
      add_message(own_device, samples, origin, std::span(begin, end));
    begin = end;
  }
  hand_over.messages_end = static_cast<std::uint32_t>(messages_.size());
  hand_over.on_device_begin = static_cast<std::uint32_t>(consumers_.size());
  const auto local =
      std::equal_range(all.begin(), all.end(), Demand{own_device, {}, nullptr, {}},
                       [](const Demand& a, const Demand& b) { return a.device < b.device; });
  add_consumers(std::span(local.first, local.second));
  hand_over.on_device_end = static_cast<std::uint32_t>(consumers_.size());
  return hand_over;
}

void HandOvers::add_message(DeviceId from, MicroBatch samples, std::int32_t origin,
                            std::span<const Demand> demands) {
  Message message;
  message.to = demands.front().device;
  message.channel = channel(from, message.to);
  message.send_lane = lanes_.choose({from, LaneKind::Send, message.to, {}});
  message.recv_lane = lanes_.choose({message.to, LaneKind::Recv, from, {}});
  message.samples = {samples.first - origin, samples.last - origin};
  const Payload payload = payload_of(samples, demands);
  if (!payload.empty()) message.payload = builder_.payload(payload);
  for (const PayloadPart& part : payload)
    message.bytes +=
        graph_.at(part.tensor).output * static_cast<std::uint64_t>(part.samples.samples());
  message.consumers_begin = static_cast<std::uint32_t>(consumers_.size());
  add_consumers(demands);
  message.consumers_end = static_cast<std::uint32_t>(consumers_.size());
  messages_.push_back(message);
}

Payload HandOvers::payload_of(MicroBatch samples, std::span<const Demand> demands) const {
  Payload parts;
  for (const Demand& demand : demands)
    for (const OperatorId tensor : demand.flow->tensors)
      parts.push_back(
          {tensor, {demand.samples.first - samples.first, demand.samples.last - samples.first}});
  std::sort(parts.begin(), parts.end());
  Payload merged;
  for (const PayloadPart& part : parts) {
    if (!merged.empty() && merged.back().tensor == part.tensor &&
        part.samples.first <= merged.back().samples.last)
      merged.back().samples.last = std::max(merged.back().samples.last, part.samples.last);
    else
      merged.push_back(part);
  }
  return merged;
}

void HandOvers::add_consumers(std::span<const Demand> demands) {
  const auto begin = static_cast<std::ptrdiff_t>(consumers_.size());
  for (const Demand& demand : demands) consumers_.push_back(demand.consumer);
  std::sort(consumers_.begin() + begin, consumers_.end());
  consumers_.erase(std::unique(consumers_.begin() + begin, consumers_.end()), consumers_.end());
}

std::int32_t HandOvers::channel(DeviceId from, DeviceId to) {
  const auto key =
      static_cast<std::uint64_t>(from.value) << 32 | static_cast<std::uint32_t>(to.value);
  return channels_.try_emplace(key, static_cast<std::int32_t>(channels_.size())).first->second;
}

}  // namespace pipegraph
