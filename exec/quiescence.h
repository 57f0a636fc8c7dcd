// Tells when the devices of a process wait for each other and nothing is on its way: they will wait
// for ever.
#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <vector>

#include "exec/transport/transport.h"

namespace pipegraph {

class Quiescence {
 public:
  explicit Quiescence(const std::vector<DeviceId>& devices)
      : devices_(devices), done_(std::make_unique<std::atomic<bool>[]>(devices.size())) {}

  /// A device begins to wait, having found nothing to do.
  void enter() noexcept { idle_.fetch_add(1); }
  void leave() noexcept {
    wakes_.fetch_add(1);
    idle_.fetch_sub(1);
  }
  /// The device at `place` has done its part of the step.
  void done(std::size_t place) noexcept {
    done_[place] = true;
    idle_.fetch_add(1);
  }
  /// Before a step.
  void restart() noexcept {
    idle_ = 0;
    for (std::size_t i = 0; i < devices_.size(); ++i) done_[i] = false;
  }

  /// Whether all devices wait and nothing is on its way to those that are not done. A device that
  /// finds something leaves before it looks, so an unchanged number of wakes means that nobody took
  /// a message meanwhile.
  bool reached(Transport& transport) const {
    return all_wait([&](DeviceId device) { return transport.quiet(device); });
  }

  /// Whether that is so as far as this process can tell.
  DevicesState look(Transport& transport) const {
    if (!all_wait([&](DeviceId device) { return transport.quiet_inside(device); }))
      return DevicesState::Busy;
    for (std::size_t i = 0; i < devices_.size(); ++i)
      if (!done_[i].load()) return DevicesState::Waiting;
    return DevicesState::Done;
  }

 private:
  template <class Quiet>
  bool all_wait(const Quiet& quiet) const {
    const std::uint64_t wakes = wakes_.load();
    if (idle_.load() != devices_.size()) return false;
    for (std::size_t i = 0; i < devices_.size(); ++i)
      if (!done_[i].load() && !quiet(devices_[i])) return false;
    return idle_.load() == devices_.size() && wakes_.load() == wakes;
  }

  std::vector<DeviceId> devices_;
  std::unique_ptr<std::atomic<bool>[]> done_;  ///< by place
  std::atomic<std::size_t> idle_{0};
  std::atomic<std::uint64_t> wakes_{0};
};

}  // namespace pipegraph
