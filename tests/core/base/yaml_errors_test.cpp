// Bad documents and bad values: the whole message, with its place.
#include <gtest/gtest.h>

#include <functional>
#include <limits>

#include "core/base/yaml_reader.h"

namespace pipegraph {
namespace {

std::string message_of(const std::function<void()>& action) {
  try {
    action();
  } catch (const ConfigError& error) {
    return error.what();
  }
  return "no error";
}

std::string parse_error(const std::string& text) {
  return message_of([&] { YamlValue::parse(text, "f"); });
}

/// The error of reading `key: text` with a member of YamlValue.
template <class Result>
std::string read_error(const std::string& text, Result (YamlValue::*read)() const) {
  return message_of([&] { (YamlValue::parse("key: " + text, "f").find("key").value().*read)(); });
}

std::string nested(std::size_t depth) { return std::string(depth, '[') + std::string(depth, ']'); }

TEST(YamlErrors, ValuesOfAnotherType) {
  EXPECT_EQ(read_error("abc", &YamlValue::as_bool),
            "f:1:6: key: 'abc' is neither true nor false; expected true or false");
  EXPECT_EQ(read_error("abc", &YamlValue::as_double),
            "f:1:6: key: 'abc' is not a number; expected a number without a unit");
  EXPECT_EQ(read_error("1e400", &YamlValue::as_double),
            "f:1:6: key: '1e400' is out of range; expected a number below 1e308");
  EXPECT_EQ(read_error("nan", &YamlValue::as_double),
            "f:1:6: key: 'nan' is not finite; expected a finite number");
  EXPECT_EQ(read_error("[1]", &YamlValue::as_string), "f:1:6: key: is a list; expected a text");
  EXPECT_EQ(read_error("{a: 1}", &YamlValue::as_string), "f:1:6: key: is a map; expected a text");
  EXPECT_EQ(read_error("~", &YamlValue::as_string), "f:1:6: key: has no value; expected a text");
  EXPECT_EQ(read_error("5", &YamlValue::items), "f:1:6: key: is a single value; expected a list");
  EXPECT_EQ(read_error("[]", &YamlValue::keys), "f:1:6: key: is a list; expected a map");
  EXPECT_EQ(read_error("[]", &YamlValue::as_path),
            "f:1:6: key: is a list; expected the path of a file");
}

TEST(YamlErrors, Integers) {
  const auto read = [](const std::string& text, std::int64_t most) {
    return message_of(
        [&] { YamlValue::parse("key: " + text, "f").find("key")->as_integer(1, most); });
  };
  constexpr std::int64_t k_open = std::numeric_limits<std::int64_t>::max();
  EXPECT_EQ(read("2.5", 8), "f:1:6: key: '2.5' is not a whole number; expected a whole number");
  EXPECT_EQ(read("99999999999999999999", 8),
            "f:1:6: key: '99999999999999999999' is out of range; expected a whole number below "
            "2^63");
  EXPECT_EQ(read("9", 8), "f:1:6: key: 9 is out of range; expected a whole number from 1 to 8");
  EXPECT_EQ(read("0", k_open),
            "f:1:6: key: 0 is out of range; expected a whole number of at least 1");
  EXPECT_EQ(read("'5'", 8),
            "f:1:6: key: '5' stands in quotes, which make it a text; expected a whole number");
  EXPECT_EQ(read("8", 8), "no error");
}

TEST(YamlErrors, Quantities) {
  EXPECT_EQ(read_error("400", &YamlValue::as_bytes_per_second),
            "f:1:6: key: '400' has no unit; expected e.g. '400 Gb/s' or '50 GB/s'");
  EXPECT_EQ(read_error("1e400 s", &YamlValue::as_seconds),
            "f:1:6: key: '1e400 s' is too large; expected a time in s, ms, us or ns, from 0 s to "
            "1e+12 s");
  EXPECT_EQ(read_error("-1 GiB", &YamlValue::as_bytes),
            "f:1:6: key: '-1 GiB' is negative; expected a size in B, KiB, MiB, GiB, kB, MB, GB, "
            "..., e.g. '16 GiB' or '512 MB'");
  EXPECT_EQ(read_error("nan B", &YamlValue::as_bytes).find("f:1:6: key: 'nan B' is not a number"),
            0U);
  EXPECT_EQ(read_error("[1 s]", &YamlValue::as_seconds).find("f:1:6: key: is a list; expected a "),
            0U);
}

TEST(YamlErrors, Choices) {
  const std::vector<std::string> names{"analytic", "simgrid"};
  EXPECT_EQ(
      message_of([&] { YamlValue::parse("key: simgird", "f").find("key")->as_choice(names); }),
      "f:1:6: key: unknown value 'simgird'; expected 'simgrid' (or one of analytic, simgrid)");
  EXPECT_EQ(YamlValue::parse("key: simgrid", "f").find("key")->as_choice(names), 1U);
}

TEST(YamlErrors, UnknownAndMissingKeys) {
  const YamlValue value = YamlValue::parse("outer:\n  bandwith: 3\n", "f").find("outer").value();
  EXPECT_EQ(
      message_of([&] {
        MapReader reader(value, "a link");
        reader.optional("latency");
        reader.optional("bandwidth");
        reader.finish();
      }),
      "f:2:3: outer.bandwith: unknown key in a link; expected 'bandwidth' (or one of latency, "
      "bandwidth)");
  EXPECT_EQ(
      message_of([&] { MapReader(value, "a link").required("bandwidth"); }),
      "f:2:3: outer: missing key 'bandwidth'; expected a link with 'bandwidth' (is 'bandwith' it, "
      "misspelt?)");
  EXPECT_EQ(message_of([&] { MapReader(value, "a link").required("shape"); }),
            "f:2:3: outer: missing key 'shape'; expected a link with 'shape'");
  EXPECT_EQ(message_of([] { MapReader(YamlValue::parse("- 1", "f"), "a link"); }),
            "f:1:1: is not a map; expected a link as a map of keys");
}

TEST(YamlErrors, DuplicateKeysAreRefused) {
  EXPECT_EQ(parse_error("a: 1\nb: 2\na: 3\n"),
            "f:3:1: key 'a' is given twice, first on line 1; expected every key once");
  EXPECT_EQ(parse_error("x: {a: 1, \"a\": 3}\n"),
            "f:1:11: key 'a' is given twice, first on line 1; expected every key once");
}

TEST(YamlErrors, BrokenYamlIsPlaced) {
  EXPECT_EQ(parse_error("a: [1, 2\nb: 3\n").find("f:2:"), 0U);
  EXPECT_EQ(parse_error("a: 1\n\tb: 2\n").find("f:2:1: not YAML: "), 0U);
  const std::string of_tab = "; expected blanks instead of the tab that indents line 2";
  EXPECT_TRUE(parse_error("a: 1\n\tb: 2\n").ends_with(of_tab));
  EXPECT_TRUE(parse_error("a:\n \tb: 2\n  c: [").ends_with(of_tab));
  EXPECT_TRUE(parse_error("a: 1\t\nb: [\n").ends_with("; expected well-formed YAML"));
  EXPECT_EQ(parse_error("a: *unknown\n").find("f:1:4: not YAML: "), 0U);
  for (const char* text : {"a: \"open\n", "a: 'open\nb: 1", "- x\n- \"open\n- y\n"})
    EXPECT_NE(parse_error(text).find(": a quote is never closed; expected the closing quote before "
                                     "the end of the document"),
              std::string::npos)
        << parse_error(text);
}

TEST(YamlErrors, EmptyAndSeveralDocuments) {
  EXPECT_EQ(parse_error(""), "f:1:1: the file is empty; expected a YAML map such as 'name: value'");
  EXPECT_EQ(parse_error("# only a comment\n"),
            "f:1:1: the file is empty; expected a YAML map such as 'name: value'");
  EXPECT_EQ(parse_error("%YAML 1.2\n---\n# nothing\n...\n").find("f:1:1: the file is empty"), 0U);
  EXPECT_EQ(parse_error("--- a\n...\n"), "no error");
  EXPECT_EQ(parse_error("a: 1\n---\nb: 2\n"),
            "f:2:1: a second document starts here; expected one document per file");
}

TEST(YamlErrors, BytesThatAreNotText) {
  EXPECT_EQ(parse_error("a: 1\nb: \xff\n"),
            "f:2:4: byte 0xff is not text; expected a UTF-8 text file");
  EXPECT_EQ(parse_error(std::string("a: \0", 4)),
            "f:1:4: byte 0x00 is not text; expected a UTF-8 text file");
  EXPECT_EQ(parse_error("\xFF\xFE" + std::string("a\0", 2)).find("f:1:1: byte 0xff"), 0U);
  EXPECT_EQ(parse_error("\xC0\xAF").find("f:1:1: byte 0xc0"), 0U);      // overlong '/'
  EXPECT_EQ(parse_error("\xED\xA0\x80").find("f:1:1: byte 0xed"), 0U);  // a surrogate
  EXPECT_EQ(parse_error("a: \xE2\x82\xAC\n"), "no error");              // the euro sign
}

TEST(YamlErrors, TagsAndKeysThatAreNotTexts) {
  EXPECT_EQ(parse_error("a: !!python/object x\n").find("f:1:4: the tag '"), 0U);
  EXPECT_EQ(parse_error("[1, 2]: x\n"),
            "f:1:1: a list or map is used as a key, or never closed; expected a text as key, or "
            "the closing bracket");
  EXPECT_EQ(parse_error("~: x\n"),
            "f:1:1: a key is missing; expected a text before ':', or the closing bracket");
  EXPECT_EQ(parse_error("? " + std::string(300, 'k') + "\n: 1\n"),
            "f:1:3: the key is too long; expected one line of at most 200 bytes");
}

TEST(YamlErrors, NestingIsBoundedWithoutUsingTheStack) {
  EXPECT_EQ(parse_error(nested(64)), "no error");
  EXPECT_EQ(parse_error(nested(65)),
            "f:1:65: the values are nested too deeply; expected at most 64 levels");
  constexpr int k_deep = 100'000;
  // The last four are good YAML, or errors of another kind; all must return.
  for (const std::string unit :
       {"[",   "{",    "- ", "? ", "[a: ", "{a: ", "[? ",   "{? ", "&a [", "[,",   "{:", ": ",
        "[: ", "!t [", "!",  "*",  "\"",   "a: ",  "a:\n ", "&",   "'",    "-\n ", "%"}) {
    std::string text;
    for (int i = 0; i < k_deep; ++i) text += unit;
    if (unit != "&" && unit != "'" && unit != "-\n " && unit != "%")
      EXPECT_NE(parse_error(text), "no error") << unit;
    else
      parse_error(text);
  }
}

TEST(YamlErrors, AliasesMayNotExplode) {
  std::string text = "a0: &a0 [x, x, x, x, x, x, x, x, x, x]\n";
  for (int i = 1; i < 10; ++i) {
    text += fmt::format("a{}: &a{} [", i, i);
    for (int j = 0; j < 10; ++j) text += fmt::format("{}*a{}", j == 0 ? "" : ", ", i - 1);
    text += "]\n";
  }
  // Level i aliases ten times level i-1, whose size is about 10^i: 10^6 is passed on a5's line.
  EXPECT_EQ(parse_error(text).find("f:6:"), 0U) << parse_error(text);
  EXPECT_EQ(
      parse_error("a: &x [1, *x]\n"),
      "f:1:11: an alias stands inside its own anchor; expected an anchor that ends before its "
      "alias");
}

TEST(YamlErrors, MissingFile) {
  EXPECT_EQ(message_of([] { YamlValue::load("/nowhere/x.yaml"); }),
            "/nowhere/x.yaml: cannot be read: No such file or directory; expected the path of a "
            "readable file");
}

}  // namespace
}  // namespace pipegraph
