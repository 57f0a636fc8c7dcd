#include "topologies/device_reader.h"

#include <fmt/format.h>

#include <string>
#include <string_view>

#include "core/base/precision.h"
#include "core/base/wildcard.h"

namespace pipegraph {
namespace {

constexpr std::int64_t k_most_multiprocessors = 1'000'000;
constexpr double k_least_share = 1e-6;
constexpr double k_most_slowdown = 1e6;

void read_peaks(const YamlValue& value, Device& device) {
  MapReader reader(value, "peak");
  for (std::size_t i = 0; i < k_precisions; ++i)
    if (auto peak = reader.optional(std::string(to_text(static_cast<Precision>(i)))))
      device.peak[i] = peak->as_flops_per_second();
  reader.finish();
}

double read_share(const YamlValue& value) {
  const double share = value.as_double();
  if (!(share >= k_least_share && share <= 1.0))
    value.fail(fmt::format("{} is no share of a peak", share),
               fmt::format("a number from {} to 1", k_least_share));
  return share;
}

void read_efficiency(const YamlValue& value, Device& device) {
  if (!value.is_map()) {
    device.efficiency.fill(read_share(value));
    return;
  }
  MapReader reader(value, "efficiency");
  for (std::size_t i = 0; i < k_precisions; ++i)
    if (auto share = reader.optional(std::string(to_text(static_cast<Precision>(i)))))
      device.efficiency[i] = read_share(*share);
  reader.finish();
}

double read_slowdown(const YamlValue& value) {
  const double slowdown = value.as_double();
  if (!(slowdown >= 1.0 / k_most_slowdown && slowdown <= k_most_slowdown))
    value.fail(fmt::format("{} is out of range", slowdown),
               fmt::format("a factor from {} to {}, e.g. 2 for half the speed",
                           1.0 / k_most_slowdown, k_most_slowdown));
  return slowdown;
}

Device read_device(MapReader& reader, Device device) {
  if (auto key = reader.optional("memory")) device.memory = key->as_bytes();
  if (auto key = reader.optional("reserved")) device.reserved = key->as_bytes();
  if (auto key = reader.optional("memory_bandwidth"))
    device.memory_bandwidth = key->as_bytes_per_second();
  if (auto key = reader.optional("peak")) read_peaks(*key, device);
  if (auto key = reader.optional("efficiency")) read_efficiency(*key, device);
  if (auto key = reader.optional("launch")) device.launch = key->as_seconds();
  if (auto key = reader.optional("multiprocessors"))
    device.multiprocessors = static_cast<int>(key->as_integer(1, k_most_multiprocessors));
  if (auto key = reader.optional("slowdown")) device.slowdown = read_slowdown(*key);
  if (auto key = reader.optional("overlap")) device.overlap = key->as_bool();
  if (device.reserved > device.memory)
    reader.value().fail(fmt::format("{} reserved of {} of memory", to_text(device.reserved),
                                    to_text(device.memory)),
                        "less reserved than there is");
  return device;
}

bool is_index(const std::string& text) {
  return !text.empty() && text.find_first_not_of("0123456789") == std::string::npos;
}

/// Positions that one index or pattern selects; not empty.
std::vector<std::size_t> read_match(const YamlValue& value, const std::vector<Device>& devices) {
  const std::string text = value.as_string();
  if (is_index(text))
    return {static_cast<std::size_t>(
        value.as_integer(0, static_cast<std::int64_t>(devices.size()) - 1))};
  std::vector<std::size_t> selected;
  for (std::size_t i = 0; i < devices.size(); ++i)
    if (matches_wildcard(text, devices[i].name)) selected.push_back(i);
  if (selected.empty())
    value.fail(fmt::format("no device is called '{}'", text),
               fmt::format("an index or a pattern of names like '{}'", devices.front().name));
  return selected;
}

}  // namespace

Device read_device(const YamlValue& value, const Device& base) {
  MapReader reader(value, "a device");
  const Device device = read_device(reader, base);
  reader.finish();
  return device;
}

std::vector<Device> read_device_overrides(const YamlValue& value, std::vector<Device> devices) {
  for (const YamlValue& entry : value.items()) {
    MapReader reader(entry, "a device override");
    const YamlValue match = reader.required("match");
    std::vector<std::size_t> selected;
    for (const YamlValue& one : match.is_sequence() ? match.items() : std::vector{match})
      for (std::size_t index : read_match(one, devices)) selected.push_back(index);
    for (std::size_t index : selected) devices[index] = read_device(reader, devices[index]);
    if (selected.empty()) match.fail("matches nothing", "an index, a pattern of names, or a list");
    reader.finish();
  }
  return devices;
}

}  // namespace pipegraph
