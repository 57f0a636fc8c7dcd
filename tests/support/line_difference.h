// The difference of two texts, line by line, for messages of failed tests.
#pragma once

#include <string>
#include <string_view>

namespace pipegraph {

/// A unified diff with two lines of context around each change: "-" stands before lines only in
/// `expected`, "+" before those only in `actual`, "@@ -N +M @@" before each group with the numbers
/// of its first lines. At most `max_lines` lines, then a count of what was left out. "" if equal.
std::string line_difference(std::string_view expected, std::string_view actual,
                            std::size_t max_lines = 60);

}  // namespace pipegraph
