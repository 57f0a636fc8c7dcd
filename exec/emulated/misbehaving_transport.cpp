#include "exec/emulated/misbehaving_transport.h"

#include <algorithm>
#include <atomic>
#include <chrono>
#include <deque>
#include <map>
#include <random>
#include <thread>
#include <utility>
#include <vector>

#include "core/base/errors.h"
#include "core/program/text.h"
#include "exec/issue_order.h"
#include "exec/transport/copy_pieces.h"

namespace pipegraph {
namespace {

using SteadyTime = std::chrono::steady_clock::time_point;

/// An eager send keeps its own copy of the data until the receiver has it.
struct EagerSend {
  InstructionId instruction;
  std::vector<std::byte> data;
  Piece piece;
};

/// A half that is held back.
struct Held {
  SteadyTime due;
  MessageHalf message;
};

/// What belongs to one device; used by its thread.
struct DeviceState {
  std::mt19937_64 random;
  IssueOrder order;                             ///< of transfers on one lane
  std::map<InstructionId, MessageHalf> posted;  ///< those whose turn has not come
  std::deque<Held> held;
  std::map<std::pair<ChannelId, Half>, SteadyTime> last_due;
  std::deque<EagerSend> eager;  ///< addresses stay
  std::vector<Arrival> at_once;
  std::vector<Arrival> arrivals;
};

/// A fault that nobody would notice is none.
void check_message(const Program& program, const char* key, InstructionId id) {
  if (!id.valid()) return;
  const std::string expected = "the number of a send, recv or all-reduce ('show program')";
  if (id.index() >= program.size())
    throw ConfigError({.file = "--misbehave", .key = key},
                      fmt::format("there is no instruction #{}, of {}", id.value, program.size()),
                      expected);
  const Instruction& instruction = program.at(id);
  if (!is_transfer(instruction.kind) && instruction.kind != InstructionKind::AllReduce)
    throw ConfigError(
        {.file = "--misbehave", .key = key},
        fmt::format("instruction #{} is {}, which is no message", id.value, to_text(instruction)),
        expected);
}

class MisbehavingTransport : public Transport {
 public:
  MisbehavingTransport(const Program& program, Transport& inner, RunState& state,
                       const Misbehaviour& misbehaviour)
      : program_(program), inner_(inner), state_(state), misbehaviour_(misbehaviour) {
    for (std::size_t i = 0; i < program.device_count(); ++i)
      devices_.push_back({.random = std::mt19937_64(misbehaviour.seed + i),
                          .order = IssueOrder(program, make_id<DeviceId>(i), is_transfer),
                          .posted = {},
                          .held = {},
                          .last_due = {},
                          .eager = {},
                          .at_once = {},
                          .arrivals = {}});
  }

  void post(DeviceId self, const MessageHalf& message) override {
    if (message.instruction == misbehaviour_.killed) stop_for_good();
    if (message.instruction == misbehaviour_.dropped) return;
    MessageHalf half = message;
    if (half.instruction == misbehaviour_.wrong_size) ++half.bytes.count;
    if (is_transfer(program_.at(half.instruction).kind) &&
        misbehaviour_.lanes == TransportLanes::One) {
      at(self).posted.emplace(half.instruction, half);
      at(self).order.ready(half.instruction);
    } else {
      delay(self, half);
    }
    release(self);
  }

  std::span<const Arrival> poll(DeviceId self) override {
    DeviceState& device = at(self);
    release(self);
    device.arrivals.clear();
    for (const Arrival& arrival : inner_.poll(self))
      if (!was_eager(device, arrival)) device.at_once.push_back(arrival);
    // An arrival may let the next half pass, which may complete at once.
    while (!device.at_once.empty()) {
      for (const Arrival& arrival : device.at_once) device.order.completed(arrival.instruction);
      device.arrivals.insert(device.arrivals.end(), device.at_once.begin(), device.at_once.end());
      device.at_once.clear();
      release(self);
    }
    return device.arrivals;
  }

  void sleep(DeviceId self, Seconds at_most) override {
    if (!at(self).at_once.empty()) return;
    for (const Held& held : at(self).held)
      at_most = std::min<Seconds>(at_most, held.due - std::chrono::steady_clock::now());
    if (at_most > Seconds{0}) inner_.sleep(self, at_most);
  }

  bool quiet(DeviceId device) override { return held_ == 0 && inner_.quiet(device); }
  bool quiet_inside(DeviceId device) override { return held_ == 0 && inner_.quiet_inside(device); }
  void watch(std::function<DevicesState()> look) override { inner_.watch(std::move(look)); }
  void abort(const Fault& fault) noexcept override { inner_.abort(fault); }

 private:
  DeviceState& at(DeviceId id) { return devices_[id.index()]; }

  /// Until another device gives up.
  [[noreturn]] void stop_for_good() const {
    while (!state_.failure.happened()) std::this_thread::sleep_for(std::chrono::milliseconds(1));
    throw MachineError("the device was stopped");
  }

  void delay(DeviceId self, const MessageHalf& half) {
    DeviceState& device = at(self);
    std::uniform_real_distribution<double> fraction(0.0, 1.0);
    const auto delay = std::chrono::duration_cast<SteadyTime::duration>(
        misbehaviour_.longest_delay * fraction(device.random));
    SteadyTime& last = device.last_due[{half.channel, half.half}];
    last = std::max(last, std::chrono::steady_clock::now() + delay);
    device.held.push_back({last, half});
    ++held_;
  }

  /// Hands on what is due, and what the lane lets pass.
  void release(DeviceId self) {
    DeviceState& device = at(self);
    while (const auto id = device.order.next()) delay(self, device.posted.extract(*id).mapped());
    const SteadyTime now = std::chrono::steady_clock::now();
    for (std::size_t i = 0; i < device.held.size();) {
      if (misbehaviour_.longest_delay > Seconds{0} && device.held[i].due > now) {
        ++i;
        continue;
      }
      const MessageHalf half = device.held[i].message;
      device.held.erase(device.held.begin() + static_cast<std::ptrdiff_t>(i));
      hand_on(self, half);
      --held_;
    }
  }

  void hand_on(DeviceId self, MessageHalf half) {
    const bool eager = half.half == Half::Send && half.bytes < misbehaviour_.eager_below &&
                       is_transfer(program_.at(half.instruction).kind);
    if (!eager) {
      inner_.post(self, half);
      return;
    }
    DeviceState& device = at(self);
    EagerSend& send = device.eager.emplace_back();
    send.instruction = half.instruction;
    if (!half.pieces.empty()) {
      send.data.resize(half.bytes.count);
      send.piece = {send.data.data(), half.bytes};
      copy_pieces(half.pieces, std::span(&send.piece, 1));
      half.pieces = std::span(&send.piece, 1);
    }
    device.at_once.push_back({half.instruction, half.token, Half::Send, half.posted});
    inner_.post(self, half);
  }

  static bool was_eager(DeviceState& device, const Arrival& arrival) {
    const auto send = std::ranges::find(device.eager, arrival.instruction, &EagerSend::instruction);
    if (send == device.eager.end()) return false;
    // Those before it on other channels may be under way still, and pieces must not move.
    send->instruction = {};
    while (!device.eager.empty() && !device.eager.front().instruction.valid())
      device.eager.pop_front();
    return true;
  }

  const Program& program_;
  Transport& inner_;
  RunState& state_;
  Misbehaviour misbehaviour_;
  std::vector<DeviceState> devices_;
  std::atomic<std::size_t> held_{0};  ///< on all devices
};

}  // namespace

std::unique_ptr<Transport> make_misbehaving_transport(const Program& program, Transport& inner,
                                                      RunState& state,
                                                      const Misbehaviour& misbehaviour) {
  check_message(program, "wrong_size", misbehaviour.wrong_size);
  check_message(program, "drop", misbehaviour.dropped);
  check_message(program, "kill", misbehaviour.killed);
  return std::make_unique<MisbehavingTransport>(program, inner, state, misbehaviour);
}

}  // namespace pipegraph
