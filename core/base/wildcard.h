// Patterns of names: '*' stands for any characters, '?' for one.
#pragma once

#include <cstddef>
#include <string_view>

namespace pipegraph {

inline bool is_wildcard(std::string_view text) {
  return text.find_first_of("*?") != std::string_view::npos;
}

/// Whether the whole of `text` fits `pattern`. At most |pattern| x |text| steps.
constexpr bool matches_wildcard(std::string_view pattern, std::string_view text) {
  std::size_t p = 0;
  std::size_t t = 0;
  std::size_t star = std::string_view::npos;
  std::size_t resume = 0;  // where the text after the last star is tried next
  while (t < text.size()) {
    if (p < pattern.size() && pattern[p] == '*') {
      star = p++;
      resume = t;
    } else if (p < pattern.size() && (pattern[p] == '?' || pattern[p] == text[t])) {
      ++p;
      ++t;
    } else if (star != std::string_view::npos) {
      p = star + 1;
      t = ++resume;
    } else {
      return false;
    }
  }
  while (p < pattern.size() && pattern[p] == '*') ++p;
  return p == pattern.size();
}

}  // namespace pipegraph
