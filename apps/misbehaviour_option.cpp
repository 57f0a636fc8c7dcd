#include "apps/misbehaviour_option.h"

#include <array>
#include <charconv>
#include <cstdint>
#include <limits>
#include <variant>
#include <vector>

#include "core/base/errors.h"
#include "core/base/nearest.h"
#include "core/base/units.h"

namespace pipegraph {
namespace {

[[noreturn]] void fail(const std::string& problem, const std::string& expected) {
  throw ConfigError({.file = "--misbehave"}, problem, expected);
}

template <class Quantity>
Quantity quantity(const Parsed<Quantity>& parsed) {
  if (const auto* error = std::get_if<QuantityError>(&parsed))
    fail(error->problem, error->expected);
  return std::get<Quantity>(parsed);
}

constexpr Seconds k_longest_delay{1e6};

Seconds delay(const std::string& text) {
  const Seconds value = quantity(parse_seconds(text));
  if (value > k_longest_delay)
    fail(fmt::format("'{}' is too long", text), "a time of at most 1e6 s");
  return value;
}

std::int32_t count(const std::string& text) {
  std::int32_t value = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (error != std::errc{} || end != text.data() + text.size() || value < 0)
    fail(fmt::format("'{}' is not a count", text), "0 to 2147483647");
  return value;
}

struct Setting {
  std::string name;
  void (*set)(Misbehaviour& misbehaviour, const std::string& value);
};

const std::array k_settings{
    Setting{"eager", [](Misbehaviour& m,
                        const std::string& v) { m.eager_below = quantity(parse_bytes(v)); }},
    Setting{"lanes",
            [](Misbehaviour& m, const std::string& v) {
              if (v != "one" && v != "many") fail(fmt::format("lanes '{}'", v), "one or many");
              m.lanes = v == "one" ? TransportLanes::One : TransportLanes::Many;
            }},
    Setting{"delay", [](Misbehaviour& m, const std::string& v) { m.longest_delay = delay(v); }},
    Setting{"seed", [](Misbehaviour& m,
                       const std::string& v) { m.seed = static_cast<std::uint64_t>(count(v)); }},
    Setting{"wrong_size", [](Misbehaviour& m, const std::string& v) { m.wrong_size = {count(v)}; }},
    Setting{"drop", [](Misbehaviour& m, const std::string& v) { m.dropped = {count(v)}; }},
    Setting{"clocks",
            [](Misbehaviour& m, const std::string& v) {
              if (v != "apart" && v != "one") fail(fmt::format("clocks '{}'", v), "one or apart");
              m.clocks = v == "apart" ? RankClocks::Apart : RankClocks::AsFound;
            }},
    Setting{"kill", [](Misbehaviour& m, const std::string& v) { m.killed = {count(v)}; }},
};

void set_from(const std::string& item, Misbehaviour& misbehaviour) {
  const std::size_t equals = item.find('=');
  if (equals == std::string::npos) fail(fmt::format("'{}' has no '='", item), "NAME=VALUE");
  const std::string name = item.substr(0, equals);
  std::vector<std::string> names;
  for (const Setting& setting : k_settings) {
    if (setting.name == name) return setting.set(misbehaviour, item.substr(equals + 1));
    names.push_back(setting.name);
  }
  fail(fmt::format("there is no '{}'", name), expected_one_of(name, names));
}

}  // namespace

Misbehaviour parse_misbehaviour(const std::string& text) {
  Misbehaviour misbehaviour;
  for (std::size_t begin = 0; begin <= text.size();) {
    const std::size_t end = std::min(text.find(',', begin), text.size());
    set_from(text.substr(begin, end - begin), misbehaviour);
    begin = end + 1;
  }
  return misbehaviour;
}

}  // namespace pipegraph
