// What a text must be before a YAML parser may see it: yaml-cpp replaces broken characters in
// silence, and guesses UTF-16 from zero bytes. Internal to core/base.
#pragma once

#include <cstddef>
#include <optional>
#include <string_view>

namespace pipegraph {

/// A place in a text, from 1. Columns count bytes.
struct TextPlace {
  int line = 1;
  int column = 1;
};
TextPlace place_of(std::string_view text, std::size_t offset);

/// Offset of the first byte that is a control character (tab and line ends aside) or does not
/// belong to well-formed UTF-8; nothing if there is none.
std::optional<std::size_t> find_bad_byte(std::string_view text);

/// Whether there is more than comments, YAML directives and document marks.
bool has_content(std::string_view text);

}  // namespace pipegraph
