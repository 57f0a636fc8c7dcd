#include "topologies/link_overrides.h"

#include <fmt/format.h>

#include "core/base/wildcard.h"

namespace pipegraph {
namespace {

struct LinkChange {
  std::optional<BytesPerSecond> bandwidth;
  std::optional<Seconds> latency;
};

LinkChange read_change(MapReader& reader) {
  LinkChange change;
  if (const auto key = reader.optional("bandwidth")) change.bandwidth = key->as_bytes_per_second();
  if (const auto key = reader.optional("latency")) change.latency = key->as_seconds();
  reader.finish();
  if (!change.bandwidth && !change.latency)
    reader.value().fail("changes nothing", "bandwidth, latency or both");
  return change;
}

void apply(const LinkChange& change, const YamlValue& pattern, std::vector<Link>& links) {
  const std::string text = pattern.as_string();
  bool matched = false;
  for (Link& link : links) {
    if (!matches_wildcard(text, link.name)) continue;
    matched = true;
    if (change.bandwidth) link.bandwidth = *change.bandwidth;
    if (change.latency) link.latency = *change.latency;
  }
  if (matched) return;
  const std::string example =
      links.empty()
          ? "; this cluster has no links"
          : fmt::format(" like '{}' (pipegraph show topology lists them)", links.front().name);
  pattern.fail(fmt::format("no link is called '{}'", text), "a pattern of names" + example);
}

}  // namespace

std::vector<Link> read_link_overrides(const YamlValue& value, std::vector<Link> links) {
  for (const YamlValue& entry : value.items()) {
    MapReader reader(entry, "a link override");
    const YamlValue match = reader.required("match");
    const LinkChange change = read_change(reader);
    const std::vector<YamlValue> patterns =
        match.is_sequence() ? match.items() : std::vector{match};
    if (patterns.empty()) match.fail("matches nothing", "a pattern of names, or a list of them");
    for (const YamlValue& pattern : patterns) apply(change, pattern, links);
  }
  return links;
}

}  // namespace pipegraph
