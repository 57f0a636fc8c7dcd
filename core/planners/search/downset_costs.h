// What Piper's stages cost between nested downsets, as differences of sums and cut edges.
#pragma once

#include <cstdint>
#include <vector>

#include "core/planners/search/downset_pairs.h"
#include "core/planners/search/layer_problem.h"

namespace pipegraph {

/// A stage between two downsets at one degree: all layers run plainly, and bounds on any choice of
/// their ways.
struct StageTerms {
  double time = 0.0, least_time = 0.0;  ///< bytes over bandwidth included; divided by d
  double sync = 0.0, least_sync = 0.0;  ///< times (1 - 1/d)
  double saved = 0.0, fixed = 0.0;
  double least_saved = 0.0, least_fixed = 0.0;  ///< of the leanest ways
  double fast_saved = 0.0, fast_fixed = 0.0;    ///< of the fastest ways
  double lean_saved = 0.0, lean_fixed = 0.0;    ///< of the ways that keep least in flight
};

class DownsetCosts {
 public:
  /// Both must outlive this.
  DownsetCosts(const LayerProblem& problem, const IdealFamily& family);

  const std::vector<int>& degrees() const { return degrees_; }  ///< of tensor parallelism
  /// Whether all layers of the stage know the degree.
  bool has(const DownsetPair& pair, std::size_t degree) const;
  StageTerms terms(const DownsetPair& pair, std::size_t degree) const;
  /// Seconds on one device that a byte costs at least which slower ways save, at a degree and with
  /// so many micro-batches in flight; infinite if no layer has another way.
  double seconds_per_byte(std::size_t degree, int in_flight) const;
  /// With so many micro-batches in flight or more no way of any layer needs less memory than the
  /// lean one; infinite if some always does.
  double lean_from(std::size_t degree) const { return lean_from_[degree]; }
  /// Device seconds that the layers of a downset need at least.
  double work(std::int32_t ideal) const { return work_[static_cast<std::size_t>(ideal)]; }

 private:
  /// Plain and least costs of a degree, summed over the layers of an ideal.
  struct Sums {
    double time = 0.0, least_time = 0.0;
    double parameters = 0.0, least_parameters = 0.0;
    double saved = 0.0, fixed = 0.0;
    double least_saved = 0.0, least_fixed = 0.0;
    double fast_saved = 0.0, fast_fixed = 0.0;
    double lean_saved = 0.0, lean_fixed = 0.0;
    std::int32_t missing = 0;  ///< layers without that degree
  };
  /// An edge, by degree: bytes at its two ends.
  struct CutEdge {
    Digraph::Node from = 0;
    Digraph::Node to = 0;
    std::vector<double> in, least_in, out, least_out;
  };
  void sum_layers();
  void find_lean_from();
  CutEdge cut_edge(const Digraph::Edge& edge) const;
  void find_cut_edges();
  void add_cut(const DownsetPair& pair, std::size_t degree, StageTerms& terms) const;

  const LayerProblem& problem_;
  const IdealFamily& family_;
  std::vector<int> degrees_;
  std::vector<std::vector<Sums>> sums_;          ///< [degree][ideal]
  std::vector<double> lean_from_;                ///< by degree
  std::vector<double> work_;                     ///< by ideal
  std::vector<CutEdge> edges_;                   ///< of the graph, by (from, to)
  std::vector<std::vector<std::int32_t>> cuts_;  ///< by ideal: positions in edges_, ascending
};

}  // namespace pipegraph
