// `--samples 1,8,64`: numbers of samples on the command line.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

namespace pipegraph {

/// One or more, each from 1 to 2^30. Errors: ConfigError.
std::vector<std::int64_t> parse_sample_counts(const std::string& text);

}  // namespace pipegraph
