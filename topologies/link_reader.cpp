#include "topologies/link_reader.h"

namespace pipegraph {

LinkRate read_link_rate(MapReader& reader) {
  LinkRate rate{reader.required("bandwidth").as_bytes_per_second()};
  if (auto latency = reader.optional("latency")) rate.latency = latency->as_seconds();
  return rate;
}

LinkRate read_link_rate(const YamlValue& value) {
  MapReader reader(value, "a link");
  const LinkRate rate = read_link_rate(reader);
  reader.finish();
  return rate;
}

}  // namespace pipegraph
