// Quantities as types, so that wrong units do not compile, with their text forms.
// b = bit, B = byte, k/M/G/T = powers of 1000, Ki/Mi/Gi/Ti = powers of 1024.
#pragma once

#include <chrono>
#include <compare>
#include <cstdint>
#include <limits>
#include <string>
#include <string_view>
#include <variant>

namespace pipegraph {

using Seconds = std::chrono::duration<double>;

struct Bytes {
  std::uint64_t count = 0;

  constexpr auto operator<=>(const Bytes&) const = default;
  constexpr Bytes& operator+=(Bytes other) {
    count += other.count;
    return *this;
  }
  /// Sizes are unsigned: subtracting more than there is, is our own mistake (see check()).
  constexpr Bytes& operator-=(Bytes other) {
    count -= other.count;
    return *this;
  }
  constexpr double as_double() const { return static_cast<double>(count); }
};
constexpr Bytes operator+(Bytes a, Bytes b) { return Bytes{a.count + b.count}; }
constexpr Bytes operator-(Bytes a, Bytes b) { return Bytes{a.count - b.count}; }
constexpr Bytes operator*(Bytes a, std::uint64_t n) { return Bytes{a.count * n}; }
constexpr Bytes operator*(std::uint64_t n, Bytes a) { return a * n; }

/// Infinity means "no limit"; a transfer then costs its latency only.
struct BytesPerSecond {
  double value = 0.0;
  constexpr auto operator<=>(const BytesPerSecond&) const = default;
};

struct Flops {
  double count = 0.0;
  constexpr auto operator<=>(const Flops&) const = default;
};

struct FlopsPerSecond {
  double value = 0.0;
  constexpr auto operator<=>(const FlopsPerSecond&) const = default;
};

/// Time to move `size` at a constant `rate`, latency not included. 0 at an infinite rate.
constexpr Seconds operator/(Bytes size, BytesPerSecond rate) {
  return Seconds{size.as_double() / rate.value};
}
constexpr Seconds operator/(Flops work, FlopsPerSecond rate) {
  return Seconds{work.count / rate.value};
}

/// Why a text is not a quantity; `problem` and `expected` complete a ConfigError's sentence.
struct QuantityError {
  std::string problem;   ///< e.g. "'400' has no unit"
  std::string expected;  ///< e.g. "e.g. '400 Gb/s' or '50 GB/s'"
};
template <class Quantity>
using Parsed = std::variant<Quantity, QuantityError>;

/// "1.5 us", "2 ms", "0 s". Units s, ms, us, ns. These and the following: quantity_ranges.h.
Parsed<Seconds> parse_seconds(std::string_view text);
/// "16 GiB", "4 KB", "0 B", "8 Mb" (bits must make whole bytes). At most 2^62 bytes; a fraction is
/// an error unless it comes to whole bytes ("1.5 KiB").
Parsed<Bytes> parse_bytes(std::string_view text);
/// "12.5 GB/s", "100 Gb/s", "inf".
Parsed<BytesPerSecond> parse_bytes_per_second(std::string_view text);
/// "2 GFLOP".
Parsed<Flops> parse_flops(std::string_view text);
/// "15.7 TFLOP/s", "inf".
Parsed<FlopsPerSecond> parse_flops_per_second(std::string_view text);

/// Exact text forms: parsing the result gives the same value to the last bit. These are what plan
/// files hold.
std::string to_exact_text(Seconds value);
std::string to_exact_text(Bytes value);
std::string to_exact_text(BytesPerSecond value);
std::string to_exact_text(Flops value);
std::string to_exact_text(FlopsPerSecond value);

/// Short text forms for people, four significant digits and a fitting unit: "1.5 us", "16 GiB".
std::string to_text(Seconds value);
std::string to_text(Bytes value);
std::string to_text(BytesPerSecond value);
std::string to_text(Flops value);
std::string to_text(FlopsPerSecond value);

}  // namespace pipegraph
