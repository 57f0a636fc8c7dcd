#include "exec/transport/in_process.h"

#include <atomic>
#include <vector>

#include "core/base/errors.h"
#include "exec/transport/copy_pieces.h"
#include "exec/transport/fifo.h"
#include "exec/transport/mailbox.h"

namespace pipegraph {
namespace {

/// What devices tell each other. A send goes to the receiver with all that it needs; when the
/// receiver has the data, the arrival goes back to the sender.
struct Letter {
  enum class Kind : std::uint8_t { Sent, Received };
  Kind kind = Kind::Sent;
  MessageHalf sent;
  Arrival received;
};

class InProcessTransport : public Transport {
 public:
  InProcessTransport(const Program& program, const Channels& channels, RunState& state,
                     Mover* mover)
      : program_(program),
        channels_(channels),
        state_(state),
        mover_(mover),
        devices_(program.device_count()),
        queues_(channels.size()) {}

  void post(DeviceId self, const MessageHalf& message) override {
    const Channel& channel = channels_.at(message.channel);
    if (mover_ != nullptr && !message.pieces.empty()) mover_->posting(self);
    if (message.half == Half::Send) {
      check(channel.from == self, "a device sends on its own channels");
      at(channel.to).mailbox.put({.kind = Letter::Kind::Sent, .sent = message, .received = {}});
      return;
    }
    check(channel.to == self, "a device receives on its own channels");
    Queues& queues = queues_[message.channel.index()];
    if (queues.sent.empty()) {
      queues.expected.push(message);
      return;
    }
    deliver(at(self), queues.sent.front(), message);
    queues.sent.pop();
  }

  std::span<const Arrival> poll(DeviceId self) override {
    Device& device = at(self);
    device.arrivals.clear();
    device.arrivals.swap(device.at_once);
    device.mailbox.take(device.letters);
    for (const Letter& letter : device.letters) {
      if (letter.kind == Letter::Kind::Received)
        device.arrivals.push_back(letter.received);
      else
        take(device, letter.sent);
    }
    if (!device.moving.empty()) end_moves(device);
    device.arrivals.insert(device.arrivals.end(), device.at_once.begin(), device.at_once.end());
    device.at_once.clear();
    return device.arrivals;
  }

  void sleep(DeviceId self, Seconds at_most) override {
    if (!state_.failure.happened()) at(self).mailbox.sleep(at_most);
  }

  bool unannounced(DeviceId self) const override { return !devices_[self.index()].moving.empty(); }

  bool quiet(DeviceId device) override {
    return at(device).moves.load() == 0 && at(device).mailbox.empty();
  }

  void abort(const Fault& /*fault*/) noexcept override {
    for (Device& device : devices_) device.mailbox.wake();
  }

 private:
  /// Apart, so that neighbours do not share cache lines.
  struct alignas(128) Device {
    Mailbox<Letter> mailbox;
    std::vector<Letter> letters;
    std::vector<Arrival> at_once;  ///< completed since the last poll without a letter
    std::vector<Arrival> arrivals;
    std::vector<ChannelId> moving;      ///< channels of `Queues::moving` that are not empty
    std::atomic<std::size_t> moves{0};  ///< messages in them, for other threads
  };
  struct Message {
    MessageHalf sent, expected;
  };
  /// Of a channel; the receiver's thread has it to itself. One of the first two is empty.
  struct Queues {
    Fifo<MessageHalf> sent, expected;
    Fifo<Message> moving;  ///< by the mover
  };

  Device& at(DeviceId id) { return devices_[id.index()]; }

  void take(Device& receiver, const MessageHalf& sent) {
    Queues& queues = queues_[sent.channel.index()];
    if (queues.expected.empty()) {
      queues.sent.push(sent);
      return;
    }
    deliver(receiver, sent, queues.expected.front());
    queues.expected.pop();
  }

  void deliver(Device& receiver, const MessageHalf& sent, const MessageHalf& expected) {
    if (sent.bytes != expected.bytes || sent.element_bytes != expected.element_bytes)
      throw MachineError(size_mismatch(program_, sent, expected));
    if (mover_ != nullptr && !sent.pieces.empty() && !expected.pieces.empty()) {
      move(receiver, {sent, expected});
      return;
    }
    copy_pieces(sent.pieces, expected.pieces);
    arrive(receiver, {sent, expected}, std::nullopt);
  }

  void arrive(Device& receiver, const Message& message, const std::optional<MoveTimes>& moved) {
    const auto& [sent, expected] = message;
    receiver.at_once.push_back(
        {expected.instruction, expected.token, Half::Recv, sent.posted, moved});
    at(channels_.at(sent.channel).from)
        .mailbox.put(
            {.kind = Letter::Kind::Received,
             .sent = {},
             .received = {sent.instruction, sent.token, Half::Send, expected.posted, moved}});
  }

  void move(Device& receiver, const Message& message) {
    const Channel& channel = channels_.at(message.sent.channel);
    mover_->begin({.channel = message.sent.channel,
                   .from = channel.from,
                   .to = channel.to,
                   .source = message.sent.pieces,
                   .target = message.expected.pieces,
                   .receive = message.expected.instruction});
    Queues& queues = queues_[message.sent.channel.index()];
    if (queues.moving.empty()) receiver.moving.push_back(message.sent.channel);
    queues.moving.push(message);
    ++receiver.moves;
  }

  void end_moves(Device& receiver) {
    std::erase_if(receiver.moving, [&](ChannelId channel) {
      Fifo<Message>& moving = queues_[channel.index()].moving;
      while (!moving.empty() && mover_->ended(channels_.at(channel).to, channel)) {
        arrive(receiver, moving.front(), mover_->times(channels_.at(channel).to));
        moving.pop();
        --receiver.moves;
      }
      return moving.empty();
    });
  }

  const Program& program_;
  const Channels& channels_;
  RunState& state_;
  Mover* mover_;
  std::vector<Device> devices_;
  std::vector<Queues> queues_;  ///< by channel
};

}  // namespace

std::unique_ptr<Transport> make_in_process_transport(const Program& program,
                                                     const Channels& channels, RunState& state,
                                                     Mover* mover) {
  return std::make_unique<InProcessTransport>(program, channels, state, mover);
}

}  // namespace pipegraph
