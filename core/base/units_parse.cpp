// Texts to quantities. Prefixes shift the decimal point (exact), binary prefixes and bits scale by
// powers of two (exact), so the result is the value nearest to what is written.
#include <fmt/format.h>

#include <array>
#include <cmath>
#include <optional>
#include <span>

#include "core/base/decimal.h"
#include "core/base/quantity_ranges.h"
#include "core/base/units.h"

namespace pipegraph {
namespace {

/// What one kind of quantity is called, measured in and written like, and what it may be.
struct Dimension {
  std::string_view kind;      ///< "a time"
  std::string_view examples;  ///< "'1.5 us' or '2 ms'"
  std::string_view unit;      ///< of the bounds
  double least = 0.0;
  double most = 0.0;
};
constexpr Dimension k_time{"a time in s, ms, us or ns", "'1.5 us' or '2 ms'", "s", 0.0,
                           k_most_seconds.count()};
constexpr Dimension k_size{"a size in B, KiB, MiB, GiB, kB, MB, GB, ...", "'16 GiB' or '512 MB'",
                           "B", 0.0, k_most_bytes.as_double()};
constexpr Dimension k_rate{"a data rate in GB/s (bytes), Gb/s (bits), ...",
                           "'400 Gb/s' or '50 GB/s'", "B/s", k_least_bytes_per_second.value,
                           k_most_bytes_per_second.value};
constexpr Dimension k_work{"an amount of work in FLOP, MFLOP, GFLOP, TFLOP, ...",
                           "'2 GFLOP' or '1.5e9 FLOP'", "FLOP", 0.0, k_most_flops.count};
constexpr Dimension k_speed{"a speed in GFLOP/s, TFLOP/s, PFLOP/s, ...",
                            "'15.7 TFLOP/s' or '989 TFLOP/s'", "FLOP/s",
                            k_least_flops_per_second.value, k_most_flops_per_second.value};

/// A unit as powers: 10^ten x 2^two.
struct Scale {
  int ten = 0;
  int two = 0;
};

std::optional<Scale> scale_of_prefix(std::string_view prefix) {
  constexpr std::string_view k_letters = "kMGTPE";
  if (prefix.empty()) return Scale{};
  const char letter = prefix[0] == 'K' ? 'k' : prefix[0];
  const std::size_t step = k_letters.find(letter);
  if (step == std::string_view::npos) return std::nullopt;
  const int power = static_cast<int>(step) + 1;
  if (prefix.size() == 1) return Scale{3 * power, 0};
  if (prefix.size() == 2 && prefix[1] == 'i') return Scale{0, 10 * power};
  return std::nullopt;
}

std::optional<Scale> scale_of_time(std::string_view unit) {
  if (unit == "s") return Scale{0, 0};
  if (unit == "ms") return Scale{-3, 0};
  if (unit == "us") return Scale{-6, 0};
  if (unit == "ns") return Scale{-9, 0};
  return std::nullopt;
}

/// "GiB", "Mb": a prefix and B or b.
std::optional<Scale> scale_of_size(std::string_view unit) {
  if (!unit.ends_with('B') && !unit.ends_with('b')) return std::nullopt;
  std::optional<Scale> scale = scale_of_prefix(unit.substr(0, unit.size() - 1));
  if (scale && unit.ends_with('b')) scale->two -= 3;
  return scale;
}

std::optional<Scale> scale_of_rate(std::string_view unit) {
  if (!unit.ends_with("/s")) return std::nullopt;
  return scale_of_size(unit.substr(0, unit.size() - 2));
}

std::optional<Scale> scale_of_work(std::string_view unit) {
  if (!unit.ends_with("FLOP")) return std::nullopt;
  const std::string_view prefix = unit.substr(0, unit.size() - 4);
  return prefix.ends_with('i') ? std::nullopt : scale_of_prefix(prefix);
}

std::optional<Scale> scale_of_speed(std::string_view unit) {
  if (!unit.ends_with("/s")) return std::nullopt;
  return scale_of_work(unit.substr(0, unit.size() - 2));
}

/// What a user sees of a text, cut where it is long.
std::string quoted(std::string_view text) {
  constexpr std::size_t k_longest = 60;
  if (text.size() <= k_longest) return fmt::format("'{}'", text);
  return fmt::format("'{}...'", text.substr(0, k_longest));
}

QuantityError error(std::string_view text, std::string_view problem, const Dimension& dimension) {
  return {fmt::format("{} {}", quoted(text), problem),
          fmt::format("{}, e.g. {}", dimension.kind, dimension.examples)};
}

/// Of a number that no quantity of this kind may have.
QuantityError out_of_range(std::string_view text, std::string_view problem,
                           const Dimension& dimension) {
  return {fmt::format("{} {}", quoted(text), problem),
          fmt::format("{}, from {:g} {} to {:g} {}", dimension.kind, dimension.least,
                      dimension.unit, dimension.most, dimension.unit)};
}

using ScaleOf = std::optional<Scale> (*)(std::string_view);

struct Measured {
  Decimal value;
  Scale scale;
  bool infinite = false;
};

/// Number and unit of `text`, the sign and the unit checked.
Parsed<Measured> measure(std::string_view text, ScaleOf scale_of, const Dimension& dimension) {
  const std::optional<ScannedNumber> number = scan_number(text);
  if (!number) {
    return error(text, text.empty() ? "is empty" : "is not a number with a unit", dimension);
  }
  if (number->infinite && !number->rest.empty() && !scale_of(number->rest))
    return error(text, "is not a number with a unit", dimension);
  if (number->negative) return error(text, "is negative", dimension);
  if (number->infinite) return Measured{.value = {}, .scale = {}, .infinite = true};
  if (number->rest.empty())
    return QuantityError{quoted(text) + " has no unit", fmt::format("e.g. {}", dimension.examples)};
  const std::optional<Scale> scale = scale_of(number->rest);
  if (!scale)
    return error(text, fmt::format("has the unknown unit {}", quoted(number->rest)), dimension);
  return Measured{.value = number->value, .scale = *scale};
}

/// The nearest double of a measured quantity, or why it is none.
Parsed<double> to_number(std::string_view text, const Measured& measured,
                         const Dimension& dimension) {
  if (measured.infinite) return error(text, "is infinite", dimension);
  Decimal shifted = measured.value;
  shifted.exponent += measured.scale.ten;
  const std::optional<double> number = to_double(shifted);
  const double scaled = number ? std::ldexp(*number, measured.scale.two) : 0.0;
  if (number && scaled >= dimension.least && scaled <= dimension.most) return scaled;
  if (number && scaled == 0.0) return error(text, "is zero", dimension);
  const bool large = number ? scaled > dimension.most : shifted.magnitude() > 0;
  if (!large && dimension.least == 0.0) return error(text, "is too small", dimension);
  return out_of_range(text, large ? "is too large" : "is too small", dimension);
}

/// A quantity that may be zero but not infinite.
template <class Quantity>
Parsed<Quantity> parse_finite(std::string_view text, ScaleOf scale_of, const Dimension& dimension) {
  const Parsed<Measured> measured = measure(text, scale_of, dimension);
  if (const auto* bad = std::get_if<QuantityError>(&measured)) return *bad;
  const Parsed<double> number = to_number(text, std::get<Measured>(measured), dimension);
  if (const auto* bad = std::get_if<QuantityError>(&number)) return *bad;
  return Quantity{std::get<double>(number)};
}

/// A quantity that may be infinite but not zero.
template <class Quantity>
Parsed<Quantity> parse_positive(std::string_view text, ScaleOf scale_of,
                                const Dimension& dimension) {
  const Parsed<Measured> measured = measure(text, scale_of, dimension);
  if (const auto* bad = std::get_if<QuantityError>(&measured)) return *bad;
  if (std::get<Measured>(measured).infinite)
    return Quantity{std::numeric_limits<double>::infinity()};
  const Parsed<double> number = to_number(text, std::get<Measured>(measured), dimension);
  if (const auto* bad = std::get_if<QuantityError>(&number)) return *bad;
  return Quantity{std::get<double>(number)};
}

// unsigned __int128 holds digits (at most 10^20) x 2^60 without overflow.
using Wide = unsigned __int128;
/// value x 10^ten x 2^two as a whole number of at most 2^62, or what is wrong with it.
std::variant<std::uint64_t, std::string_view> whole_bytes(const Decimal& value, Scale scale) {
  constexpr std::string_view k_too_large = "is too large (more than 2^62 bytes)";
  constexpr std::string_view k_fraction = "does not come to whole bytes";
  if (value.digits.empty()) return std::uint64_t{0};
  int ten = value.exponent + scale.ten;
  if (value.magnitude() + scale.ten > 20) return k_too_large;
  if (value.digits.size() > 20 || ten < -40) return k_fraction;
  Wide result = 0;
  for (char digit : value.digits) result = result * 10 + static_cast<Wide>(digit - '0');
  if (scale.two > 0) result <<= scale.two;
  for (; ten < 0; ++ten) {
    if (result % 10 != 0) return k_fraction;
    result /= 10;
  }
  for (; ten > 0 && result <= Wide{k_most_bytes.count} * 8; --ten) result *= 10;
  if (scale.two < 0 && result % 8 != 0) return k_fraction;
  if (scale.two < 0) result /= 8;
  if (ten > 0 || result > k_most_bytes.count) return k_too_large;
  return static_cast<std::uint64_t>(result);
}

}  // namespace

Parsed<Seconds> parse_seconds(std::string_view text) {
  return parse_finite<Seconds>(text, scale_of_time, k_time);
}

Parsed<Bytes> parse_bytes(std::string_view text) {
  const Parsed<Measured> measured = measure(text, scale_of_size, k_size);
  if (const auto* bad = std::get_if<QuantityError>(&measured)) return *bad;
  const auto& [value, scale, infinite] = std::get<Measured>(measured);
  if (infinite) return error(text, "is infinite", k_size);
  const auto bytes = whole_bytes(value, scale);
  if (const auto* problem = std::get_if<std::string_view>(&bytes))
    return error(text, *problem, k_size);
  return Bytes{std::get<std::uint64_t>(bytes)};
}

Parsed<BytesPerSecond> parse_bytes_per_second(std::string_view text) {
  return parse_positive<BytesPerSecond>(text, scale_of_rate, k_rate);
}

Parsed<Flops> parse_flops(std::string_view text) {
  return parse_finite<Flops>(text, scale_of_work, k_work);
}

Parsed<FlopsPerSecond> parse_flops_per_second(std::string_view text) {
  return parse_positive<FlopsPerSecond>(text, scale_of_speed, k_speed);
}

}  // namespace pipegraph
