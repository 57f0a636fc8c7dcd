// Quantities to texts: the fitting unit is chosen by the decimal exponent, so no digit changes.
#include <fmt/format.h>

#include <array>
#include <cmath>
#include <span>

#include "core/base/decimal.h"
#include "core/base/units.h"

namespace pipegraph {
namespace {

struct Unit {
  int ten;
  std::string_view name;
};
constexpr std::array<Unit, 4> k_times{{{-9, "ns"}, {-6, "us"}, {-3, "ms"}, {0, "s"}}};
constexpr std::array<Unit, 5> k_rates{
    {{0, "B/s"}, {3, "kB/s"}, {6, "MB/s"}, {9, "GB/s"}, {12, "TB/s"}}};
constexpr std::array<Unit, 7> k_works{{{0, "FLOP"},
                                       {3, "kFLOP"},
                                       {6, "MFLOP"},
                                       {9, "GFLOP"},
                                       {12, "TFLOP"},
                                       {15, "PFLOP"},
                                       {18, "EFLOP"}}};

/// The largest unit of which there is at least one; the smallest if there is none.
const Unit& fitting(const Decimal& value, std::span<const Unit> units) {
  std::size_t chosen = 0;
  for (std::size_t i = 0; i < units.size(); ++i)
    if (units[i].ten <= value.magnitude()) chosen = i;
  return units[chosen];
}

std::string with_unit(Decimal value, std::span<const Unit> units, std::string_view suffix) {
  if (value.digits.empty()) {
    const Unit& plain = units.front().ten < 0 ? units.back() : units.front();
    return fmt::format("0 {}{}", plain.name, suffix);
  }
  const Unit& unit = fitting(value, units);
  value.exponent -= unit.ten;
  return fmt::format("{} {}{}", to_text(value), unit.name, suffix);
}

std::string exact(double value, std::span<const Unit> units, std::string_view suffix = "") {
  if (std::isinf(value)) return value > 0 ? "inf" : "-inf";
  if (value < 0) return "-" + exact(-value, units, suffix);
  return with_unit(exact_decimal(value), units, suffix);
}

std::string brief(double value, std::span<const Unit> units, std::string_view suffix = "") {
  if (std::isinf(value)) return value > 0 ? "inf" : "-inf";
  if (value < 0) return "-" + brief(-value, units, suffix);
  return with_unit(rounded_decimal(value, 4), units, suffix);
}

constexpr std::array<std::string_view, 7> k_sizes{"B", "KiB", "MiB", "GiB", "TiB", "PiB", "EiB"};

}  // namespace

std::string to_exact_text(Seconds value) { return exact(value.count(), k_times); }

std::string to_exact_text(Bytes value) {
  std::uint64_t count = value.count;
  std::size_t unit = 0;
  for (; count != 0 && count % 1024 == 0 && unit + 1 < k_sizes.size(); ++unit) count /= 1024;
  return fmt::format("{} {}", count, k_sizes[unit]);
}

std::string to_exact_text(BytesPerSecond value) { return exact(value.value, k_rates); }
std::string to_exact_text(Flops value) { return exact(value.count, k_works); }
std::string to_exact_text(FlopsPerSecond value) {
  return std::isinf(value.value) ? "inf" : exact(value.value, k_works, "/s");
}

std::string to_text(Seconds value) { return brief(value.count(), k_times); }

std::string to_text(Bytes value) {
  double count = value.as_double();
  std::size_t unit = 0;
  // 1023.5 would round to four digits as 1024 of the smaller unit.
  for (; count >= 1023.5 && unit + 1 < k_sizes.size(); ++unit) count /= 1024.0;
  if (unit == 0) return fmt::format("{} B", value.count);
  return fmt::format("{} {}", to_text(rounded_decimal(count, 4)), k_sizes[unit]);
}

std::string to_text(BytesPerSecond value) { return brief(value.value, k_rates); }
std::string to_text(Flops value) { return brief(value.count, k_works); }
std::string to_text(FlopsPerSecond value) {
  return std::isinf(value.value) ? "inf" : brief(value.value, k_works, "/s");
}

}  // namespace pipegraph
