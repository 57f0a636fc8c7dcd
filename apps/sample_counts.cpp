#include "apps/sample_counts.h"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>

#include "core/base/errors.h"

namespace pipegraph {

std::vector<std::int64_t> parse_sample_counts(const std::string& text) {
  std::vector<std::int64_t> counts;
  for (std::size_t at = 0; at <= text.size();) {
    const std::size_t end = std::min(text.find(',', at), text.size());
    std::int64_t count = 0;
    const auto [last, error] = std::from_chars(text.data() + at, text.data() + end, count);
    if (error != std::errc{} || last != text.data() + end || count < 1 || count > (1 << 30))
      throw ConfigError({.file = "--samples"}, fmt::format("'{}' is not a list of counts", text),
                        "counts from 1 to 2^30, e.g. 1,8,64");
    counts.push_back(count);
    at = end + 1;
  }
  return counts;
}

}  // namespace pipegraph
