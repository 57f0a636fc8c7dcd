// Scanning and printing of decimal numbers; rounding is left to from_chars and to_chars.
#include "core/base/decimal.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <charconv>
#include <cmath>

namespace pipegraph {
namespace {

constexpr int k_exponent_limit = 1'000'000;  ///< beyond every double, far from int overflow

bool is_digit(char c) { return c >= '0' && c <= '9'; }

std::size_t count_digits(std::string_view text) {
  const auto end = std::find_if_not(text.begin(), text.end(), is_digit);
  return static_cast<std::size_t>(end - text.begin());
}

Decimal normalised(std::string_view digits, int exponent) {
  const std::size_t first = digits.find_first_not_of('0');
  if (first == std::string_view::npos) return {};
  const std::size_t last = digits.find_last_not_of('0');
  exponent += static_cast<int>(digits.size() - 1 - last);
  return {std::string(digits.substr(first, last - first + 1)), exponent};
}

/// Reads "e-6" at the start of `text` and removes it; 0 if there is none.
int take_exponent(std::string_view& text) {
  if (text.empty() || (text[0] != 'e' && text[0] != 'E')) return 0;
  std::string_view rest = text.substr(1);
  const bool negative = !rest.empty() && rest[0] == '-';
  if (!rest.empty() && (rest[0] == '-' || rest[0] == '+')) rest.remove_prefix(1);
  const std::size_t length = count_digits(rest);
  if (length == 0) return 0;
  int value = 0;
  for (char c : rest.substr(0, length)) value = std::min(k_exponent_limit, value * 10 + (c - '0'));
  text = rest.substr(length);
  return negative ? -value : value;
}

/// `text` is what to_chars prints in scientific notation.
Decimal from_scientific(std::string_view text) {
  const std::optional<ScannedNumber> scanned = scan_number(text);
  return scanned ? scanned->value : Decimal{};
}

}  // namespace

std::string_view trimmed(std::string_view text) {
  const std::size_t first = text.find_first_not_of(" \t");
  if (first == std::string_view::npos) return {};
  return text.substr(first, text.find_last_not_of(" \t") - first + 1);
}

std::optional<ScannedNumber> scan_number(std::string_view text) {
  ScannedNumber result;
  text = trimmed(text);
  if (!text.empty() && (text[0] == '-' || text[0] == '+')) {
    result.negative = text[0] == '-';
    text.remove_prefix(1);
  }
  if (text.starts_with("inf")) {
    result.infinite = true;
    result.rest = trimmed(text.substr(3));
    return result;
  }
  const std::size_t whole = count_digits(text);
  std::string digits(text.substr(0, whole));
  text.remove_prefix(whole);
  std::size_t fraction = 0;
  if (!text.empty() && text[0] == '.') {
    fraction = count_digits(text.substr(1));
    digits += text.substr(1, fraction);
    if (!digits.empty()) text.remove_prefix(1 + fraction);
  }
  if (digits.empty()) return std::nullopt;
  const int exponent = take_exponent(text);
  result.value = normalised(digits, exponent - static_cast<int>(fraction));
  result.rest = trimmed(text);
  return result;
}

std::optional<double> to_double(const Decimal& value) {
  if (value.digits.empty()) return 0.0;
  const std::string text = fmt::format("{}e{}", value.digits, value.exponent);
  double result = 0.0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), result);
  if (error != std::errc{} || !std::isfinite(result) || result == 0.0) return std::nullopt;
  return result;
}

Decimal exact_decimal(double value) {
  std::array<char, 64> text{};
  const auto result =
      std::to_chars(text.data(), text.data() + text.size(), value, std::chars_format::scientific);
  return from_scientific({text.data(), result.ptr});
}

Decimal rounded_decimal(double value, int significant) {
  return from_scientific(fmt::format("{:.{}e}", value, significant - 1));
}

std::string to_text(const Decimal& value) {
  constexpr int k_most_zeros = 9;
  if (value.digits.empty()) return "0";
  const int length = static_cast<int>(value.digits.size());
  if (value.exponent > k_most_zeros || value.magnitude() < -k_most_zeros) {
    const std::string fraction = length > 1 ? "." + value.digits.substr(1) : "";
    return fmt::format("{}{}e{:+}", value.digits[0], fraction, value.magnitude());
  }
  if (value.exponent >= 0)
    return value.digits + std::string(static_cast<std::size_t>(value.exponent), '0');
  if (value.magnitude() >= 0) {
    const std::size_t whole = static_cast<std::size_t>(value.magnitude()) + 1;
    return value.digits.substr(0, whole) + "." + value.digits.substr(whole);
  }
  return "0." + std::string(static_cast<std::size_t>(-value.magnitude()) - 1, '0') + value.digits;
}

}  // namespace pipegraph
