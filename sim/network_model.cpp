#include "sim/network_model.h"

#include <fmt/format.h>

#include <array>

namespace pipegraph {
namespace {

constexpr std::array<std::string_view, 4> k_names{"ideal", "lv08", "smpi", "ib"};

std::string to_text(const FactorTable& table) {
  if (table.empty()) return "1";
  if (table.size() == 1 && table.front().above_bytes <= 0.0)
    return fmt::format("{}", table.front().factor);
  std::string text;
  for (const FactorStep& step : table)
    text += fmt::format("{}{} above {} B", text.empty() ? "" : ", ", step.factor, step.above_bytes);
  return "(" + text + ")";
}

}  // namespace

std::string_view to_text(NetworkModel model) { return k_names[static_cast<std::size_t>(model)]; }

std::optional<NetworkModel> parse_network_model(std::string_view text) {
  for (std::size_t i = 0; i < k_names.size(); ++i)
    if (k_names[i] == text) return static_cast<NetworkModel>(i);
  return std::nullopt;
}

double factor_at(const FactorTable& table, double bytes) {
  double factor = 1.0;
  for (const FactorStep& step : table)
    if (bytes > step.above_bytes) factor = step.factor;
  return factor;
}

std::string to_text(const NetworkFactors& factors) {
  std::string text = fmt::format("latency x {}, bandwidth x {}", to_text(factors.latency),
                                 to_text(factors.bandwidth));
  if (factors.tcp_gamma_bytes > 0.0)
    text += fmt::format(", TCP window {} B", factors.tcp_gamma_bytes);
  if (factors.cross_traffic) text += ", cross-traffic";
  return text;
}

}  // namespace pipegraph
