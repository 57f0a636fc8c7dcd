#include "core/model/cost_model.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>

#include "core/base/errors.h"

namespace pipegraph {

namespace {

struct Tile {
  std::int64_t m, n;
};
constexpr std::array<Tile, 4> k_tiles{{{256, 128}, {128, 128}, {128, 64}, {64, 64}}};

std::int64_t ceil_divide(std::int64_t a, std::int64_t b) { return (a + b - 1) / b; }

/// Time of `samples` samples of the products and other FLOPs at the device's peak.
Seconds compute_time(const PassWork& work, std::int64_t samples, const ComputeRate& rate) {
  const auto count = static_cast<double>(samples);
  const double peak = rate.peak.value * rate.efficiency;
  double seconds = work.flops.count * count / peak;
  for (const MatrixProduct& product : work.products) {
    const std::int64_t rows =
        product.scaling == ProductScaling::Rows ? product.m * samples : product.m;
    const double efficiency = tile_and_wave_efficiency(rows, product.n, rate.multiprocessors);
    seconds += flops(product).count * count / (peak * efficiency);
  }
  return Seconds{seconds};
}

Seconds memory_time(const PassWork& work, std::int64_t samples, const ComputeRate& rate) {
  if (rate.memory_bandwidth.value == 0.0) return Seconds{0};
  const double bytes =
      work.bytes.as_double() * static_cast<double>(samples) + work.fixed_bytes.as_double();
  return Seconds{bytes / rate.memory_bandwidth.value};
}

Seconds pass_time(const Operator& op, const PassWork& work, std::int64_t samples,
                  const ComputeRate& rate) {
  if (work.empty()) return Seconds{0};
  if (work.time)
    return (*work.time * static_cast<double>(samples) + work.fixed_time) * rate.slowdown;
  Seconds compute{0};
  if (flops(work).count > 0.0) {
    if (rate.peak.value == 0.0)
      throw ConfigError(
          op.position,
          fmt::format("'{}' gives work in FLOPs, but the device's peak is unknown", op.name),
          "explicit times, or a device with a peak for the precision in use");
    compute = compute_time(work, samples, rate);
  }
  return rate.launch + std::max(compute, memory_time(work, samples, rate));
}

std::string describe(const ComputationGraph& graph) {
  bool times = false;
  bool work = false;
  for (const Operator& op : graph.operators())
    for (const PassWork* pass : {&op.forward, &op.backward}) {
      times = times || pass->time.has_value();
      work = work || (!pass->time && !pass->empty());
    }
  if (times) return work ? "roofline and explicit" : "explicit";
  return "roofline";
}

}  // namespace

char to_letter(Pass pass) {
  switch (pass) {
    case Pass::Forward:
      return 'F';
    case Pass::Backward:
      return 'B';
    case Pass::BackwardInput:
      return 'I';
    case Pass::BackwardWeight:
      return 'W';
  }
  throw InternalError("no such pass");
}

std::string_view to_text(Pass pass) {
  switch (pass) {
    case Pass::Forward:
      return "forward";
    case Pass::Backward:
      return "backward";
    case Pass::BackwardInput:
      return "backward_input";
    case Pass::BackwardWeight:
      return "backward_weight";
  }
  throw InternalError("no such pass");
}

double tile_and_wave_efficiency(std::int64_t m, std::int64_t n, int multiprocessors) {
  check(m > 0 && n > 0 && multiprocessors > 0, "a product and a device have a size");
  const auto processors = static_cast<std::int64_t>(multiprocessors);
  double best = 0.0;
  for (const Tile& tile : k_tiles) {
    const std::int64_t rows = ceil_divide(m, tile.m);
    const std::int64_t columns = ceil_divide(n, tile.n);
    const double useful = static_cast<double>(m) / static_cast<double>(rows * tile.m) *
                          (static_cast<double>(n) / static_cast<double>(columns * tile.n));
    const double tiles = static_cast<double>(rows) * static_cast<double>(columns);
    const double waves = std::ceil(tiles / static_cast<double>(processors));
    best = std::max(best, useful * tiles / (waves * static_cast<double>(processors)));
  }
  return best;
}

RooflineCosts::RooflineCosts(const ComputationGraph& graph)
    : graph_(graph), source_(describe(graph)) {}

Seconds RooflineCosts::time(OperatorId id, Pass pass, std::int64_t samples,
                            const ComputeRate& rate) const {
  check(samples > 0, "a pass needs samples");
  const Operator& op = graph_.at(id);
  if (pass == Pass::Forward) return pass_time(op, op.forward, samples, rate);
  if (pass == Pass::Backward) return pass_time(op, op.backward, samples, rate);
  const bool input = pass == Pass::BackwardInput;
  if (op.backward_input)
    return pass_time(op, input ? *op.backward_input : *op.backward_weight, samples, rate);
  const double share = input_gradient_share(op);
  return pass_time(op, op.backward, samples, rate) * (input ? share : 1.0 - share);
}

std::string_view RooflineCosts::source() const { return source_; }

}  // namespace pipegraph
