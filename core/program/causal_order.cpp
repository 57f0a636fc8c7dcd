#include "core/program/causal_order.h"

#include <algorithm>
#include <unordered_map>

#include "core/program/channels.h"
#include "core/program/growth.h"

namespace pipegraph {

/// One walk through the program in its order, carrying what each device knows. A wait on a later
/// instruction tells nothing here, which only loosens bounds.
class CausalScan {
 public:
  CausalScan(const Program& program, CausalOrder& order)
      : program_(program),
        order_(order),
        channels_(program),
        watched_(program.device_count()),
        arrived_(channels_.list().size()),
        ended_(channels_.list().size(), 0),
        lane_ended_(program.lanes().size(), 0),
        sends_on_compute_lane_(program.lanes().size()),
        one_way_(program.device_count()) {
    prepare_news();
  }

  void run() {
    for (std::size_t n = 0; n < program_.size(); ++n) visit(make_id<InstructionId>(n));
  }

 private:
  /// Progress of some device that travels along a channel: places in the two ends' lists.
  struct News {
    std::int32_t of_sender = -1;  ///< -1: the sender's own progress
    std::int32_t of_receiver = 0;
  };

  void prepare_news() {
    std::vector<std::unordered_map<std::int32_t, std::int32_t>> places(program_.device_count());
    const auto place = [&](DeviceId watcher, DeviceId watched) {
      std::vector<Growth>& growth = watched_[watcher.index()];
      const auto [entry, fresh] = places[watcher.index()].try_emplace(
          watched.value, static_cast<std::int32_t>(growth.size()));
      if (fresh) growth.emplace_back();
      return entry->second;
    };
    for (const ChannelMessages& channel : channels_.list()) {
      std::vector<News>& news = news_.emplace_back();
      for (const DeviceId device : channel.news)
        news.push_back(
            {device == channel.from ? -1 : place(channel.from, device), place(channel.to, device)});
      // What the sender of this channel knows of its receiver bounds the receiver's recvs.
      if (channel.reverse < 0)
        one_way_[channel.from.index()].push_back(static_cast<std::int32_t>(knows_receiver_.size()));
      knows_receiver_.push_back(place(channel.from, channel.to));
    }
  }

  void visit(InstructionId id) {
    const Instruction& i = program_.at(id);
    std::int32_t& lane_ended = lane_ended_[i.lane.index()];
    std::int32_t ended = lane_ended;
    for (const InstructionId wait : program_.waits_on(id))
      if (wait < id) ended = std::max(ended, ended_when_done(wait));
    if (is_compute(i.kind)) {
      ended = order_.computes_[i.device.index()]++;
      visit_compute(id, ended);
    } else if (i.kind == InstructionKind::Recv) {
      ended = std::max(ended, known_by_sender(id));
    } else if (i.kind == InstructionKind::Send && on_compute_lane(i)) {
      sends_on_compute_lane_[i.lane.index()].push_back(id);
    }
    order_.ended_before_[id.index()] = ended;
    lane_ended = is_compute(i.kind) ? ended + 1 : ended;
  }

  bool on_compute_lane(const Instruction& i) const {
    return program_.lanes()[i.lane.index()].kind == LaneKind::Compute;
  }
  std::int32_t ended_when_done(InstructionId id) const {
    const std::int32_t before = order_.ended_before_[id.index()];
    return is_compute(program_.at(id).kind) ? before + 1 : before;
  }

  /// Computes of the receiver that the sender knew to have ended when it sent.
  std::int32_t known_by_sender(InstructionId recv) const {
    const InstructionId send = channels_.send_of(recv);
    if (!send.valid() || send > recv) return 0;
    const std::int32_t channel = channels_.channel(recv);
    const DeviceId sender = channels_.at(channel).from;
    const std::int32_t place = knows_receiver_[static_cast<std::size_t>(channel)];
    return watched_[sender.index()][static_cast<std::size_t>(place)].after(
        order_.ended_before_[send.index()]);
  }

  void visit_compute(InstructionId id, std::int32_t number) {
    for (const InstructionId wait : program_.waits_on(id)) {
      if (wait > id) continue;
      if (program_.at(wait).kind == InstructionKind::Recv) learn(wait, number);
      if (program_.at(wait).kind == InstructionKind::Send) end_send(wait, number);
    }
    std::vector<InstructionId>& before = sends_on_compute_lane_[program_.at(id).lane.index()];
    for (const InstructionId send : before) end_send(send, number);
    before.clear();
  }

  /// What compute `number` knows because it waits for `recv`.
  void learn(InstructionId recv, std::int32_t number) {
    const InstructionId send = channels_.send_of(recv);
    if (!send.valid() || send > recv) return;
    const std::int32_t channel = channels_.channel(recv);
    const ChannelMessages& own = channels_.at(channel);
    const std::int32_t sender_ended = order_.ended_before_[send.index()];
    std::vector<Growth>& receivers = watched_[own.to.index()];
    const std::vector<Growth>& senders = watched_[own.from.index()];
    for (const News& news : news_[static_cast<std::size_t>(channel)])
      receivers[static_cast<std::size_t>(news.of_receiver)].raise(
          number, news.of_sender < 0
                      ? sender_ended
                      : senders[static_cast<std::size_t>(news.of_sender)].after(sender_ended));
    arrived_[static_cast<std::size_t>(channel)].raise(
        number, static_cast<std::int32_t>(channels_.number(recv)) + 1);
    if (own.reverse >= 0) end_arrived(own.reverse, sender_ended, number);
    for (const std::int32_t channel_out : one_way_[own.to.index()]) {
      const std::int32_t place = knows_receiver_[static_cast<std::size_t>(channel_out)];
      end_arrived(channel_out, receivers[static_cast<std::size_t>(place)].after(number + 1),
                  number);
    }
  }

  /// Compute `number` of the sender starts after what its receiver had used in so many computes.
  void end_arrived(std::int32_t channel, std::int32_t receiver_ended, std::int32_t number) {
    const auto c = static_cast<std::size_t>(channel);
    const std::vector<InstructionId>& sends = channels_.at(channel).sends;
    for (const std::int32_t arrived = arrived_[c].after(receiver_ended); ended_[c] < arrived;
         ++ended_[c])
      end_send(sends[static_cast<std::size_t>(ended_[c])], number);
  }

  void end_send(InstructionId send, std::int32_t number) {
    std::int32_t& ends = order_.ends_before_[send.index()];
    if (ends < 0 || ends > number) ends = number;
  }

  const Program& program_;
  CausalOrder& order_;
  ChannelTable channels_;
  std::vector<std::vector<News>> news_;       ///< by channel
  std::vector<std::int32_t> knows_receiver_;  ///< by channel: place in the sender's list
  std::vector<std::vector<Growth>> watched_;  ///< by device: progress of others it follows
  std::vector<Growth> arrived_;               ///< by channel: messages, by the receiver's computes
  std::vector<std::int32_t> ended_;           ///< by channel: messages the sender knows arrived
  std::vector<std::int32_t> lane_ended_;      ///< own computes ended when the lane's last one is
  std::vector<std::vector<InstructionId>> sends_on_compute_lane_;  ///< since the last compute
  std::vector<std::vector<std::int32_t>> one_way_;  ///< by device: its channels without a way back
};

CausalOrder::CausalOrder(const Program& program)
    : program_(program),
      begin_(program.device_count() + 1, 0),
      by_device_(program.size()),
      place_(program.size()),
      computes_(program.device_count(), 0),
      ended_before_(program.size(), 0),
      ends_before_(program.size(), -1) {
  for (const Instruction& i : program.instructions()) ++begin_[i.device.index() + 1];
  for (std::size_t d = 1; d < begin_.size(); ++d) begin_[d] += begin_[d - 1];
  std::vector<std::uint32_t> next(begin_.begin(), begin_.end() - 1);
  for (std::size_t n = 0; n < program.size(); ++n) {
    const std::size_t device = program.instructions()[n].device.index();
    place_[n] = static_cast<std::int32_t>(next[device] - begin_[device]);
    by_device_[next[device]++] = make_id<InstructionId>(n);
  }
  CausalScan(program, *this).run();
}

std::span<const InstructionId> CausalOrder::on(DeviceId device) const {
  const std::size_t d = device.index();
  return std::span(by_device_).subspan(begin_[d], begin_[d + 1] - begin_[d]);
}

Moment CausalOrder::earliest_start(InstructionId id) const {
  const std::int32_t ended = ended_before_[id.index()];
  return is_compute(program_.at(id).kind) ? 2 * ended + 1 : 2 * ended;
}

Moment CausalOrder::latest_end(InstructionId id) const {
  const Instruction& i = program_.at(id);
  if (is_compute(i.kind)) return 2 * ended_before_[id.index()] + 1;
  const std::int32_t before = ends_before_[id.index()];
  return 2 * (before >= 0 ? before : computes_[i.device.index()]);
}

}  // namespace pipegraph
