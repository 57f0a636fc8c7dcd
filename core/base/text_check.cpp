#include "core/base/text_check.h"

#include <algorithm>

namespace pipegraph {
namespace {

/// Length of the UTF-8 sequence at `offset`; 0 if it is none (overlong, surrogate, cut short).
std::size_t utf8_length(std::string_view text, std::size_t offset) {
  const auto byte = [&](std::size_t i) -> unsigned {
    return offset + i < text.size() ? static_cast<unsigned char>(text[offset + i]) : 0U;
  };
  const auto follows = [&](std::size_t i, unsigned least = 0x80, unsigned most = 0xBF) {
    return byte(i) >= least && byte(i) <= most;
  };
  const unsigned lead = byte(0);
  if (lead < 0x80) return 1;
  if (lead >= 0xC2 && lead <= 0xDF) return follows(1) ? 2 : 0;
  if (lead >= 0xE0 && lead <= 0xEF) {
    const unsigned least = lead == 0xE0 ? 0xA0 : 0x80;
    const unsigned most = lead == 0xED ? 0x9F : 0xBF;
    return follows(1, least, most) && follows(2) ? 3 : 0;
  }
  if (lead >= 0xF0 && lead <= 0xF4) {
    const unsigned least = lead == 0xF0 ? 0x90 : 0x80;
    const unsigned most = lead == 0xF4 ? 0x8F : 0xBF;
    return follows(1, least, most) && follows(2) && follows(3) ? 4 : 0;
  }
  return 0;
}

}  // namespace

TextPlace place_of(std::string_view text, std::size_t offset) {
  TextPlace place;
  for (char c : text.substr(0, offset)) {
    ++place.column;
    if (c == '\n') place = {place.line + 1, 1};
  }
  return place;
}

std::optional<std::size_t> find_bad_byte(std::string_view text) {
  for (std::size_t i = 0; i < text.size();) {
    const auto c = static_cast<unsigned char>(text[i]);
    const bool control = (c < 0x20 && c != '\t' && c != '\n' && c != '\r') || c == 0x7F;
    const std::size_t length = control ? 0 : utf8_length(text, i);
    if (length == 0) return i;
    i += length;
  }
  return std::nullopt;
}

/// Whether there is more than comments, directives and document marks.
bool has_content(std::string_view text) {
  while (!text.empty()) {
    const std::size_t end = std::min(text.find('\n'), text.size());
    std::string_view line = text.substr(0, end);
    text.remove_prefix(std::min(end + 1, text.size()));
    if (line.starts_with('%') || line.starts_with("...")) continue;
    if (line.starts_with("---")) line.remove_prefix(3);
    const std::size_t first = line.find_first_not_of(" \t\r");
    if (first != std::string_view::npos && line[first] != '#') return true;
  }
  return false;
}

}  // namespace pipegraph
