#include "sim/flow_engine.h"

#include <cmath>
#include <deque>
#include <set>
#include <simgrid/kernel/Timer.hpp>
#include <simgrid/kernel/resource/NetworkModelIntf.hpp>
#include <simgrid/s4u.hpp>
#include <string>
#include <vector>

#include "core/base/errors.h"
#include "sim/platform.h"

namespace pipegraph {
namespace {

namespace s4u = simgrid::s4u;
using simgrid::kernel::timer::Timer;

/// SimGrid takes whole bytes. Multiplying sizes and bandwidths by a power of two leaves times as
/// they are and makes the smallest step 2^-20 bytes; 0 where the corrections of a model depend on
/// sizes, less where sizes are huge.
double scale_for(NetworkModel model, double largest_bytes) {
  if (model != NetworkModel::Ideal) return 1.0;
  int exponent = 20;
  while (exponent > 0 && std::ldexp(largest_bytes, exponent) > 0x1p62) --exponent;
  return std::ldexp(1.0, exponent);
}

/// SimGrid eats its options from argv and keeps pointers into it.
class Arguments {
 public:
  explicit Arguments(std::vector<std::string> options) : options_(std::move(options)) {
    options_.insert(options_.begin(), "simulation");
    for (std::string& option : options_) pointers_.push_back(option.data());
    count_ = static_cast<int>(pointers_.size());
    pointers_.push_back(nullptr);
  }
  int* count() { return &count_; }
  char** values() { return pointers_.data(); }

 private:
  std::vector<std::string> options_;
  std::vector<char*> pointers_;
  int count_ = 0;
};

}  // namespace

class FlowEngine::Implementation {
 public:
  Implementation(const Topology& topology, NetworkModel model, double largest_bytes)
      : scale_(scale_for(model, largest_bytes)),
        arguments_(engine_options(model)),
        engine_(arguments_.count(), arguments_.values()),
        platform_(build_platform(topology, model, scale_)),
        factors_(effective_factors(model)) {
    engine_.track_vetoed_activities(&stop_);
    s4u::Activity::on_completion_cb([this](const s4u::Activity& activity) { ended(activity); });
    if (model == NetworkModel::Ideal) leave_out_latencies();
  }

  std::size_t active() const { return active_; }
  const NetworkFactors& factors() const { return factors_; }

  void idle_until(double now) {
    check(active_ == 0, "the clock runs ahead only while no flow is active");
    while (s4u::Engine::get_clock() < now) run_until(now);
  }

  void start(const FlowStart& flow) {
    while (comms_.size() <= flow.flow) {
      numbers_.push_back(static_cast<std::uint32_t>(comms_.size()));
      comms_.emplace_back();
    }
    check(comms_[flow.flow] == nullptr, "one flow in progress per number");
    s4u::CommPtr comm = s4u::Comm::sendto_init(platform_.hosts[flow.from.index()],
                                               platform_.hosts[flow.to.index()]);
    comm->set_payload_size(static_cast<std::uint64_t>(std::llround(flow.bytes * scale_)));
    comm->set_data(&numbers_[flow.flow]);
    comm->start();
    comms_[flow.flow] = std::move(comm);
    ++active_;
  }

  std::span<const std::uint32_t> advance(double date) {
    check(active_ > 0, "there is a flow to wait for");
    released_.clear();  // their callbacks have returned
    ended_.clear();
    run_until(date);
    return ended_;
  }

 private:
  /// One or more rounds of SimGrid: until something ends, or the alarm at `date` rings.
  void run_until(double date) {
    set_alarm(std::max(date, s4u::Engine::get_clock()));
    stop_.clear();
    engine_.run();
    check(!stop_.empty(), "SimGrid has an event as long as a flow is active");
  }

  void set_alarm(double date) {
    if (alarm_ != nullptr && alarm_->get_date() == date) return;
    if (alarm_ != nullptr) alarm_->remove();
    alarm_ = nullptr;
    if (std::isinf(date)) return;
    alarm_ = Timer::set(date, [this] {
      alarm_ = nullptr;  // SimGrid deletes it
      stop_.insert(nullptr);
    });
  }

  /// SimGrid's loop ends after the round in which the set of vetoed activities is not empty. That
  /// is what it offers for leaving the loop without ending the simulation.
  void ended(const s4u::Activity& activity) {
    stop_.insert(nullptr);
    const auto* number = activity.get_data<std::uint32_t>();
    if (number == nullptr) return;
    const std::uint32_t flow = *number;
    if (comms_[flow] == nullptr) return;  // reported already
    released_.push_back(std::move(comms_[flow]));
    comms_[flow] = nullptr;
    ended_.push_back(flow);
    --active_;
  }

  /// A route's latency is also its weight in the shares of a link, so all routes have the same, and
  /// none of it passes.
  void leave_out_latencies() {
    platform_.zone->get_network_model()->set_lat_factor_cb(
        [](double, const s4u::Host*, const s4u::Host*, const std::vector<s4u::Link*>&,
           const std::unordered_set<s4u::NetZone*>&) { return 0.0; });
  }

  double scale_;
  Arguments arguments_;
  s4u::Engine engine_;
  Platform platform_;
  NetworkFactors factors_;
  std::set<s4u::Activity*> stop_;
  Timer* alarm_ = nullptr;
  std::vector<s4u::CommPtr> comms_;     ///< by flow number
  std::deque<std::uint32_t> numbers_;   ///< 0, 1, ...: what SimGrid's communications point to
  std::vector<s4u::CommPtr> released_;  ///< ended; kept until SimGrid is done with them
  std::vector<std::uint32_t> ended_;
  std::size_t active_ = 0;
};

FlowEngine::FlowEngine(const Topology& topology, NetworkModel model, double largest_bytes)
    : implementation_(std::make_unique<Implementation>(topology, model, largest_bytes)) {}
FlowEngine::~FlowEngine() = default;

double FlowEngine::clock() const { return s4u::Engine::get_clock(); }
std::size_t FlowEngine::active() const { return implementation_->active(); }
void FlowEngine::idle_until(double now) { implementation_->idle_until(now); }
void FlowEngine::start(const FlowStart& flow) { implementation_->start(flow); }
std::span<const std::uint32_t> FlowEngine::advance(double date) {
  return implementation_->advance(date);
}
const NetworkFactors& FlowEngine::factors() const { return implementation_->factors(); }

}  // namespace pipegraph
