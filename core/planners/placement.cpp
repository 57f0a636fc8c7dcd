#include "core/planners/placement.h"

#include <algorithm>

#include "core/planners/equal_devices.h"
#include "core/planners/traffic.h"

namespace pipegraph {
namespace {

/// Above this many exchanges a sweep, contiguous places are good enough.
constexpr std::size_t k_most_exchanges = 65'536;
/// Devices up to which chains of exchanges are tried.
constexpr std::size_t k_most_in_chains = 16;
constexpr int k_most_sweeps = 16;

/// Which device may take which place.
struct Exchangeable {
  std::vector<std::size_t> kind;  ///< by device: the first one that is as fast
  std::vector<Bytes> available;   ///< by device
  std::vector<Bytes> needs;       ///< by place; empty if all devices have the same

  bool may_take(DeviceId device, std::size_t place) const {
    return needs.empty() || needs[place] <= available[device.index()];
  }
  bool all() const {
    const auto zero = [](std::size_t k) { return k == 0; };
    return std::ranges::all_of(kind, zero) &&
           (needs.empty() || std::ranges::max(needs) <= std::ranges::min(available));
  }
};

struct PlaceProblem {
  const Topology& topology;
  const std::vector<PlaceFlow>& flows;
  std::size_t places = 0;
  Exchangeable exchangeable;
  std::vector<DeviceId> first;  ///< by place
};

class PlaceSearch {
 public:
  PlaceSearch(const PlaceProblem& problem, PairPrices& prices)
      : topology_(problem.topology),
        prices_(prices),
        flows_(problem.flows),
        places_(problem.places),
        exchangeable_(problem.exchangeable),
        device_(problem.first),
        flows_of_(topology_.size()) {
    for (std::size_t f = 0; f < flows_.size(); ++f) {
      flows_of_[static_cast<std::size_t>(flows_[f].from)].push_back(f);
      flows_of_[static_cast<std::size_t>(flows_[f].to)].push_back(f);
    }
  }

  /// Single exchanges, until none helps.
  void exchange() {
    for (int sweep = 0; sweep < k_most_sweeps; ++sweep)
      if (!improve()) break;
  }

  /// Then also chains of them, until none helps.
  void exchange_in_chains() {
    do exchange();
    while (improve_by_chain());
  }

  /// The best of that with the devices in turn, from each of them on, for the places as numbered,
  /// for every other place first, and for the places by who talks most with those before.
  void start_anywhere() {
    const std::vector<DeviceId> devices = device_;
    std::vector<std::size_t> numbered;
    for (std::size_t place = 0; place < devices.size(); ++place) numbered.push_back(place);
    std::vector<DeviceId> best;
    double least = std::numeric_limits<double>::infinity();
    std::vector<std::size_t> alternate = numbered;  // every other place
    std::ranges::stable_sort(alternate, {}, [](std::size_t place) { return place % 2; });
    for (const std::vector<std::size_t>& order : {numbered, talkative_order(), alternate})
      for (std::size_t start = 0; start < devices.size(); ++start) {
        for (std::size_t i = 0; i < order.size(); ++i)
          device_[order[i]] = devices[(start + i) % devices.size()];
        exchange_in_chains();
        double total = 0.0;
        for (const PlaceFlow& flow : flows_) total += time_of(flow);
        if (!best.empty() && total >= least * (1 - 1e-9)) continue;
        least = total;
        best = device_;
      }
    device_ = best;
  }

  /// By place; those beyond the places are unused.
  const std::vector<DeviceId>& device_of_place() const { return device_; }

 private:
  double time_of(const PlaceFlow& flow) {
    return prices_.seconds(device_[static_cast<std::size_t>(flow.from)],
                           device_[static_cast<std::size_t>(flow.to)], flow.messages, flow.bytes);
  }
  /// Time of all flows of either place.
  double time_around(std::size_t a, std::size_t b) {
    double total = 0;
    for (const std::size_t f : flows_of_[a]) total += time_of(flows_[f]);
    for (const std::size_t f : flows_of_[b])
      if (static_cast<std::size_t>(flows_[f].from) != a &&
          static_cast<std::size_t>(flows_[f].to) != a)
        total += time_of(flows_[f]);
    return total;
  }
  std::vector<std::size_t> talkative_order() const {
    std::vector<std::size_t> order;
    std::vector<double> talk(device_.size(), 0.0);  // bytes from and to places in the order
    std::vector<char> taken(device_.size(), 0);
    while (order.size() < device_.size()) {
      std::size_t next = device_.size();
      for (std::size_t place = 0; place < device_.size(); ++place)
        if (!taken[place] && (next == device_.size() || talk[place] > talk[next])) next = place;
      taken[next] = 1;
      order.push_back(next);
      for (const std::size_t f : flows_of_[next]) {
        const PlaceFlow& flow = flows_[f];
        const auto from = static_cast<std::size_t>(flow.from);
        talk[from == next ? static_cast<std::size_t>(flow.to) : from] += flow.bytes;
      }
    }
    return order;
  }
  bool may_exchange(std::size_t a, std::size_t b) const {
    const DeviceId at_a = device_[a];
    const DeviceId at_b = device_[b];
    if (exchangeable_.kind[at_a.index()] != exchangeable_.kind[at_b.index()]) return false;
    return exchangeable_.available[at_a.index()] == exchangeable_.available[at_b.index()] ||
           (exchangeable_.may_take(at_b, a) && exchangeable_.may_take(at_a, b));
  }
  bool same_node(std::size_t a, std::size_t b) const {
    return topology_.device(device_[a]).node == topology_.device(device_[b]).node;
  }
  /// What the exchange of two places' devices saves.
  double gain(std::size_t a, std::size_t b) {
    const double before = time_around(a, b);
    std::swap(device_[a], device_[b]);
    const double after = time_around(a, b);
    std::swap(device_[a], device_[b]);
    return after < before * (1 - 1e-9) || after > before ? before - after : 0.0;
  }
  bool improve() {
    bool improved = false;
    for (std::size_t a = 0; a < places_; ++a)
      for (std::size_t b = a + 1; b < device_.size(); ++b) {
        if (!may_exchange(a, b) || gain(a, b) <= 0.0) continue;
        std::swap(device_[a], device_[b]);
        improved = true;
      }
    return improved;
  }

  struct Exchange {
    std::size_t a = 0;
    std::size_t b = 0;
    double gain = -std::numeric_limits<double>::infinity();
  };
  Exchange best_exchange(const std::vector<char>& moved) {
    Exchange best;
    for (std::size_t a = 0; a < places_; ++a)
      for (std::size_t b = a + 1; b < device_.size(); ++b) {
        if (moved[a] || moved[b] || same_node(a, b) || !may_exchange(a, b)) continue;
        const double saved = gain(a, b);
        if (saved > best.gain) best = {a, b, saved};
      }
    return best;
  }
  /// Exchanges places of two nodes, each once, the best first even if it costs, and keeps as many
  /// exchanges as save most together (Kernighan and Lin, 1970). False: none do.
  bool improve_by_chain() {
    std::vector<char> moved(device_.size(), 0);
    std::vector<Exchange> chain;
    double least = 0.0;  // of a gain that is no rounding error
    for (const PlaceFlow& flow : flows_) least += 1e-9 * time_of(flow);
    double saved = 0.0;
    double most = 0.0;
    std::size_t kept = 0;
    for (;;) {
      const Exchange next = best_exchange(moved);
      if (next.gain == -std::numeric_limits<double>::infinity()) break;
      std::swap(device_[next.a], device_[next.b]);
      moved[next.a] = moved[next.b] = 1;
      chain.push_back(next);
      saved += next.gain;
      if (saved <= most + least) continue;
      most = saved;
      kept = chain.size();
    }
    for (; chain.size() > kept; chain.pop_back())
      std::swap(device_[chain.back().a], device_[chain.back().b]);
    return kept > 0;
  }

  const Topology& topology_;
  PairPrices& prices_;
  const std::vector<PlaceFlow>& flows_;
  std::size_t places_;
  const Exchangeable& exchangeable_;
  std::vector<DeviceId> device_;  ///< by place
  std::vector<std::vector<std::size_t>> flows_of_;
};

std::vector<Stage> on_devices(std::vector<Stage> stages, const std::vector<DeviceId>& of_place) {
  for (Stage& stage : stages)
    for (DeviceId& device : stage.devices) device = of_place[device.index()];
  return stages;
}

}  // namespace

StagePlacer::StagePlacer(const Workload& workload)
    : workload_(workload), prices_(*workload.topology), kinds_(equally_fast(workload)) {}

std::vector<Stage> StagePlacer::place(std::vector<Stage> stages, const PlannerOptions& options,
                                      const PlacementStart& start) {
  const Topology& topology = *workload_.topology;
  const StageGraph unplaced(*workload_.graph, stages, options.kind, options.skip_transfer);
  const std::size_t places = unplaced.devices().size();
  check(places <= topology.size(), "a device for every place");
  std::vector<DeviceId> first = start.devices;
  for (std::size_t i = first.size(); i < topology.size(); ++i)
    first.push_back(make_id<DeviceId>(i));
  if (places * topology.size() > k_most_exchanges) return on_devices(std::move(stages), first);
  const std::vector<PlaceFlow> flows = traffic(workload_, unplaced);
  PlaceProblem problem{topology, flows, places, {kinds_, {}, {}}, std::move(first)};
  for (const Device& device : topology.devices())
    problem.exchangeable.available.push_back(available_memory(device));
  const auto [least, most] = std::ranges::minmax(problem.exchangeable.available);
  if (least != most) problem.exchangeable.needs = memory_needs(workload_, unplaced, options);
  PlaceSearch search(problem, prices_);
  if (start.effort == PlacementEffort::Quick || topology.size() > k_most_in_chains)
    search.exchange();
  else if (problem.exchangeable.all())
    search.start_anywhere();
  else
    search.exchange_in_chains();
  return on_devices(std::move(stages), search.device_of_place());
}

std::vector<Stage> place(const Workload& workload, std::vector<Stage> stages,
                         const PlannerOptions& options, const PlacementStart& start) {
  return StagePlacer(workload).place(std::move(stages), options, start);
}

Seconds transfer_time(const Workload& workload, const StageGraph& stages) {
  double total = 0;
  PairPrices prices(*workload.topology);
  for (const PlaceFlow& flow : traffic(workload, stages, RingOrder::NodeAfterNode))
    total += prices.seconds(DeviceId{flow.from}, DeviceId{flow.to}, flow.messages, flow.bytes);
  return Seconds{total};
}

}  // namespace pipegraph
