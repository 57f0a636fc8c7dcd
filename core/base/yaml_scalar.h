// Texts as YAML writes them, for the writers of files that are read again.
#pragma once

#include <string>
#include <string_view>

namespace pipegraph {

/// `text` as one YAML value, in quotes unless it is plainly a word or a number; may stand in block
/// and in [flow, lists]. Reads back as the same text.
std::string to_yaml_scalar(std::string_view text);

}  // namespace pipegraph
