// Which of SimGrid's network models carries the transfers, and what each does to the numbers of the
// topology.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace pipegraph {

/// Ideal: max-min fair sharing of the topology's own numbers. The others are SimGrid's models of
/// TCP (lv08), of MPI over Ethernet (smpi) and of MPI over InfiniBand (ib), with their corrections.
enum class NetworkModel : std::uint8_t { Ideal, Lv08, Smpi, Ib };
std::string_view to_text(NetworkModel model);  ///< "ideal", "lv08", "smpi", "ib"
std::optional<NetworkModel> parse_network_model(std::string_view text);

/// Messages of more than `above_bytes` get `factor`, until the next step.
struct FactorStep {
  double above_bytes = 0.0;
  double factor = 1.0;
  bool operator==(const FactorStep&) const = default;
};

/// A factor by message size; ascending steps. Sizes below the first step get 1.
using FactorTable = std::vector<FactorStep>;
double factor_at(const FactorTable& table, double bytes);

/// What a model makes of a route of latency l and bandwidth c: latency x factor, and per flow at
/// most min(c, tcp_gamma / (2 l)) x factor.
struct NetworkFactors {
  FactorTable latency;
  FactorTable bandwidth;
  double tcp_gamma_bytes = 0.0;  ///< window; 0: none
  bool cross_traffic = false;    ///< 5 % of a flow on the way back
  bool operator==(const NetworkFactors&) const = default;
};

/// One line: "latency x 13.01, bandwidth x 0.97, TCP window 4194304 B, cross-traffic".
std::string to_text(const NetworkFactors& factors);

}  // namespace pipegraph
