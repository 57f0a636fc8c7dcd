// "Did you mean": the candidate nearest to a misspelt word.
#pragma once

#include <optional>
#include <span>
#include <string>
#include <string_view>

namespace pipegraph {

/// The candidate with the least edit distance to `word` (transpositions count one), the first of
/// equals; nothing if all are further than a third of the word's length + 1.
std::optional<std::string> nearest(std::string_view word, std::span<const std::string> candidates);

/// "a, b, c" or, for `word` close to one of them, "'b' (or one of a, b, c)": the `expected` part of
/// an error about an unknown name.
std::string expected_one_of(std::string_view word, std::span<const std::string> candidates);

}  // namespace pipegraph
