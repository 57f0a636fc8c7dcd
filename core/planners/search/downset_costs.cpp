#include "core/planners/search/downset_costs.h"

#include <algorithm>
#include <limits>
#include <set>

namespace pipegraph {
namespace {

constexpr double k_infinite = std::numeric_limits<double>::infinity();

const LayerDegree* find_degree(const std::vector<LayerDegree>& degrees, int tensor_parallel) {
  for (const LayerDegree& degree : degrees)
    if (degree.tensor_parallel == tensor_parallel) return &degree;
  return nullptr;
}

std::vector<int> all_degrees(const LayerProblem& problem) {
  std::set<int> degrees;
  for (const auto& layer : problem.layers)
    for (const LayerDegree& degree : layer)
      if (degree.tensor_parallel <= problem.devices) degrees.insert(degree.tensor_parallel);
  return {degrees.begin(), degrees.end()};
}

template <class Of>
double least(const LayerDegree& degree, const Of& of) {
  double result = k_infinite;
  for (const LayerWay& way : degree.ways) result = std::min(result, of(way));
  return result;
}

/// Keeps least in flight, of equals also least otherwise.
const LayerWay& lean_way(const LayerDegree& degree) {
  return *std::ranges::min_element(degree.ways, [](const LayerWay& a, const LayerWay& b) {
    return a.saved != b.saved ? a.saved < b.saved : a.fixed < b.fixed;
  });
}

}  // namespace

DownsetCosts::DownsetCosts(const LayerProblem& problem, const IdealFamily& family)
    : problem_(problem), family_(family), degrees_(all_degrees(problem)) {
  sum_layers();
  find_lean_from();
  find_cut_edges();
}

void DownsetCosts::find_lean_from() {
  lean_from_.assign(degrees_.size(), 0.0);
  for (const auto& degrees : problem_.layers)
    for (std::size_t q = 0; q < degrees_.size(); ++q) {
      const LayerDegree* degree = find_degree(degrees, degrees_[q]);
      if (degree == nullptr) continue;
      const LayerWay& lean = lean_way(*degree);
      for (const LayerWay& way : degree->ways)
        if (way.fixed < lean.fixed)
          lean_from_[q] =
              std::max(lean_from_[q], (lean.fixed - way.fixed) / (way.saved - lean.saved));
    }
}

void DownsetCosts::sum_layers() {
  work_.assign(family_.ideals.size(), 0.0);
  sums_.assign(degrees_.size(), std::vector<Sums>(family_.ideals.size()));
  for (std::size_t i = 0; i < family_.ideals.size(); ++i)
    for (const Digraph::Node node : family_.ideals[i].nodes()) {
      const auto& degrees = problem_.layers[static_cast<std::size_t>(node)];
      double cheapest = k_infinite;
      for (std::size_t q = 0; q < degrees_.size(); ++q) {
        Sums& sum = sums_[q][i];
        const LayerDegree* degree = find_degree(degrees, degrees_[q]);
        if (degree == nullptr) {
          ++sum.missing;
          continue;
        }
        const LayerWay& plain = degree->ways.front();
        const double time = least(*degree, [](const LayerWay& way) { return way.time; });
        cheapest = std::min(cheapest, time * degrees_[q]);
        sum.time += plain.time;
        sum.least_time += time;
        sum.parameters += plain.parameters;
        sum.least_parameters += least(*degree, [](const LayerWay& way) { return way.parameters; });
        sum.saved += plain.saved;
        sum.fixed += plain.fixed;
        sum.least_saved += least(*degree, [](const LayerWay& way) { return way.saved; });
        sum.least_fixed += least(*degree, [](const LayerWay& way) { return way.fixed; });
        const LayerWay& fast = *std::ranges::min_element(degree->ways, {}, &LayerWay::time);
        sum.fast_saved += fast.saved;
        sum.fast_fixed += fast.fixed;
        const LayerWay& lean = lean_way(*degree);
        sum.lean_saved += lean.saved;
        sum.lean_fixed += lean.fixed;
      }
      work_[i] += cheapest;
    }
}

DownsetCosts::CutEdge DownsetCosts::cut_edge(const Digraph::Edge& edge) const {
  CutEdge cut{edge.from, edge.to, {}, {}, {}, {}};
  const auto after = problem_.graph.successors(edge.from);
  const auto before = problem_.graph.predecessors(edge.to);
  const auto out =
      static_cast<std::size_t>(std::ranges::lower_bound(after, edge.to) - after.begin());
  const auto in =
      static_cast<std::size_t>(std::ranges::lower_bound(before, edge.from) - before.begin());
  for (const int t : degrees_) {
    const LayerDegree* reader = find_degree(problem_.layers[static_cast<std::size_t>(edge.to)], t);
    const LayerDegree* writer =
        find_degree(problem_.layers[static_cast<std::size_t>(edge.from)], t);
    cut.in.push_back(reader ? reader->ways.front().in[in] : 0.0);
    cut.least_in.push_back(reader ? least(*reader, [&](const LayerWay& way) { return way.in[in]; })
                                  : 0.0);
    cut.out.push_back(writer ? writer->ways.front().out[out] : 0.0);
    cut.least_out.push_back(
        writer ? least(*writer, [&](const LayerWay& way) { return way.out[out]; }) : 0.0);
  }
  return cut;
}

void DownsetCosts::find_cut_edges() {
  for (const Digraph::Edge& edge : problem_.graph.edges()) edges_.push_back(cut_edge(edge));
  cuts_.resize(family_.ideals.size());
  for (std::size_t i = 0; i < family_.ideals.size(); ++i)
    for (std::size_t e = 0; e < edges_.size(); ++e)
      if (!family_.ideals[i].contains(edges_[e].from) && family_.ideals[i].contains(edges_[e].to))
        cuts_[i].push_back(static_cast<std::int32_t>(e));
}

void DownsetCosts::add_cut(const DownsetPair& pair, std::size_t degree, StageTerms& terms) const {
  const NodeSet& inner = family_.ideals[static_cast<std::size_t>(pair.inner)];
  const NodeSet& outer = family_.ideals[static_cast<std::size_t>(pair.outer)];
  const bool per_edge = problem_.transfer == TransferCharge::Edge;
  double bytes = 0.0;
  double least_bytes = 0.0;
  double of_tensor = 0.0;  // of the producer at hand
  Digraph::Node producer = -1;
  const auto add = [&](const CutEdge& cut, double plain, double fewest) {
    if (per_edge) {
      bytes += plain;
      least_bytes += fewest;
      return;
    }
    if (cut.from != producer) {
      bytes += of_tensor;
      of_tensor = 0.0;
      producer = cut.from;
    }
    of_tensor = std::max(of_tensor, plain);
  };
  Digraph::Node kept = -1;
  double input = 0.0;
  for (const std::int32_t e : cuts_[static_cast<std::size_t>(pair.outer)]) {
    const CutEdge& cut = edges_[static_cast<std::size_t>(e)];
    if (inner.contains(cut.to)) continue;
    add(cut, cut.in[degree], cut.least_in[degree]);
    if (cut.from != kept) input += problem_.saved_input[static_cast<std::size_t>(cut.from)];
    kept = cut.from;
  }
  bytes += of_tensor;
  of_tensor = 0.0;
  producer = -1;
  for (const std::int32_t e : cuts_[static_cast<std::size_t>(pair.inner)]) {
    const CutEdge& cut = edges_[static_cast<std::size_t>(e)];
    if (outer.contains(cut.from)) add(cut, cut.out[degree], cut.least_out[degree]);
  }
  bytes += of_tensor;
  terms.saved += input;
  terms.least_saved += input;
  terms.fast_saved += input;
  terms.lean_saved += input;
  terms.time += 2.0 * bytes / problem_.bandwidth;
  terms.least_time += 2.0 * (per_edge ? least_bytes : bytes) / problem_.bandwidth;
}

StageTerms DownsetCosts::terms(const DownsetPair& pair, std::size_t degree) const {
  const Sums& inner = sums_[degree][static_cast<std::size_t>(pair.inner)];
  const Sums& outer = sums_[degree][static_cast<std::size_t>(pair.outer)];
  const double sync = 4.0 / problem_.micro_batches / problem_.bandwidth;
  StageTerms terms;
  terms.time = outer.time - inner.time;
  terms.least_time = outer.least_time - inner.least_time;
  terms.sync = sync * (outer.parameters - inner.parameters);
  terms.least_sync = sync * (outer.least_parameters - inner.least_parameters);
  terms.saved = outer.saved - inner.saved;
  terms.fixed = outer.fixed - inner.fixed;
  terms.least_saved = outer.least_saved - inner.least_saved;
  terms.least_fixed = outer.least_fixed - inner.least_fixed;
  terms.fast_saved = outer.fast_saved - inner.fast_saved;
  terms.fast_fixed = outer.fast_fixed - inner.fast_fixed;
  terms.lean_saved = outer.lean_saved - inner.lean_saved;
  terms.lean_fixed = outer.lean_fixed - inner.lean_fixed;
  add_cut(pair, degree, terms);
  return terms;
}

double DownsetCosts::seconds_per_byte(std::size_t degree, int in_flight) const {
  double best = k_infinite;
  for (const auto& degrees : problem_.layers) {
    const LayerDegree* layer = find_degree(degrees, degrees_[degree]);
    if (layer == nullptr) continue;
    const LayerWay& fast = *std::ranges::min_element(layer->ways, {}, &LayerWay::time);
    for (const LayerWay& way : layer->ways) {
      const double bytes = (fast.saved - way.saved) * in_flight + fast.fixed - way.fixed;
      if (bytes > 0.0) best = std::min(best, (way.time - fast.time) / bytes);
    }
  }
  return best;
}

bool DownsetCosts::has(const DownsetPair& pair, std::size_t degree) const {
  return sums_[degree][static_cast<std::size_t>(pair.inner)].missing ==
         sums_[degree][static_cast<std::size_t>(pair.outer)].missing;
}

}  // namespace pipegraph
