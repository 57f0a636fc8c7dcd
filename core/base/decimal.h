// Decimal numbers as digits and a power of ten, so that a unit's prefix shifts the point exactly:
// "1.5 us" is the double nearest to 1.5e-6, and every text printed here reads back to the last bit.
// Internal to core/base.
#pragma once

#include <optional>
#include <string>
#include <string_view>

namespace pipegraph {

/// digits x 10^exponent; digits has no leading or trailing zeros ("" is zero).
struct Decimal {
  std::string digits;
  int exponent = 0;

  /// Power of ten of the first digit: 0 for 1.5, -6 for 0.0000015. Only for non-zero values.
  int magnitude() const { return exponent + static_cast<int>(digits.size()) - 1; }
};

/// A number at the start of a text and what follows it.
struct ScannedNumber {
  Decimal value;
  bool negative = false;
  bool infinite = false;  ///< the text was "inf"
  std::string_view rest;  ///< behind the number, spaces removed
};

/// Reads [+-]digits[.digits][e[+-]digits] or "inf"; nothing if the text starts with neither.
std::optional<ScannedNumber> scan_number(std::string_view text);

/// The nearest double; nothing if it would be infinite, or zero though the value is not.
std::optional<double> to_double(const Decimal& value);

/// The fewest digits that read back as `value` (finite, not negative).
Decimal exact_decimal(double value);
/// `value` rounded to `significant` digits.
Decimal rounded_decimal(double value, int significant);

/// "1.5", "0.002", "1200"; "1.5e+30" where plain notation would need more than 9 zeros.
std::string to_text(const Decimal& value);

/// The text without spaces and tabs at both ends.
std::string_view trimmed(std::string_view text);

}  // namespace pipegraph
