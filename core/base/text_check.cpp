#include "core/base/text_check.h"

#include <algorithm>
#include <array>

namespace pipegraph {
namespace {

/// Lead bytes of UTF-8 with the length of their sequences and the bounds of the second byte, which
/// keep out overlong forms, surrogates and what lies beyond Unicode.
struct LeadBytes {
  unsigned char first, last;
  std::size_t length;
  unsigned char second_least, second_most;
};
constexpr std::array<LeadBytes, 8> k_leads{{{0xC2, 0xDF, 2, 0x80, 0xBF},
                                            {0xE0, 0xE0, 3, 0xA0, 0xBF},
                                            {0xE1, 0xEC, 3, 0x80, 0xBF},
                                            {0xED, 0xED, 3, 0x80, 0x9F},
                                            {0xEE, 0xEF, 3, 0x80, 0xBF},
                                            {0xF0, 0xF0, 4, 0x90, 0xBF},
                                            {0xF1, 0xF3, 4, 0x80, 0xBF},
                                            {0xF4, 0xF4, 4, 0x80, 0x8F}}};

bool within(char c, unsigned least, unsigned most) {
  const auto byte = static_cast<unsigned char>(c);
  return byte >= least && byte <= most;
}

/// Length of the UTF-8 sequence of two or more bytes that `text` starts with; 0 if it is none.
std::size_t sequence_length(std::string_view text) {
  for (const LeadBytes& lead : k_leads) {
    if (!within(text[0], lead.first, lead.last)) continue;
    if (text.size() < lead.length || !within(text[1], lead.second_least, lead.second_most))
      return 0;
    const std::string_view rest = text.substr(2, lead.length - 2);
    const bool whole =
        std::all_of(rest.begin(), rest.end(), [](char c) { return within(c, 0x80, 0xBF); });
    return whole ? lead.length : 0;
  }
  return 0;
}

bool is_plain(char c) { return within(c, 0x20, 0x7E) || c == '\t' || c == '\n' || c == '\r'; }

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
    const std::size_t length = is_plain(text[i]) ? 1 : sequence_length(text.substr(i));
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
