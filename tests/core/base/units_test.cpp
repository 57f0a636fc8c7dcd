// Quantities: texts to values, values to texts that read back to the last bit, and refusals.
#include "core/base/units.h"

#include <gtest/gtest.h>

#include <cmath>
#include <cstring>
#include <limits>
#include <random>

namespace pipegraph {
namespace {

constexpr double k_infinity = std::numeric_limits<double>::infinity();

template <class Quantity>
Quantity value_of(const Parsed<Quantity>& parsed) {
  if (const auto* error = std::get_if<QuantityError>(&parsed)) ADD_FAILURE() << error->problem;
  return std::holds_alternative<Quantity>(parsed) ? std::get<Quantity>(parsed) : Quantity{};
}

template <class Quantity>
std::string problem_of(const Parsed<Quantity>& parsed) {
  const auto* error = std::get_if<QuantityError>(&parsed);
  return error ? error->problem : "no problem";
}

template <class Quantity>
std::string expected_of(const Parsed<Quantity>& parsed) {
  const auto* error = std::get_if<QuantityError>(&parsed);
  return error ? error->expected : "no problem";
}

TEST(Units, TimesAreTheDoubleNearestToWhatIsWritten) {
  EXPECT_EQ(value_of(parse_seconds("1.5 us")).count(), 1.5e-6);
  EXPECT_EQ(value_of(parse_seconds("0.1 ms")).count(), 0.1e-3);
  EXPECT_EQ(value_of(parse_seconds("3.153 ms")).count(), 3.153e-3);
  EXPECT_EQ(value_of(parse_seconds("7 ns")).count(), 7e-9);
  EXPECT_EQ(value_of(parse_seconds("0 s")).count(), 0.0);
  EXPECT_EQ(value_of(parse_seconds("1e3ms")).count(), 1.0);
  EXPECT_EQ(value_of(parse_seconds("  .5 s ")).count(), 0.5);
}

TEST(Units, SizesAreExact) {
  EXPECT_EQ(value_of(parse_bytes("16 GiB")), Bytes{16ULL << 30});
  EXPECT_EQ(value_of(parse_bytes("1.5 KiB")), Bytes{1536});
  EXPECT_EQ(value_of(parse_bytes("4 KB")), Bytes{4000});
  EXPECT_EQ(value_of(parse_bytes("4 kB")), Bytes{4000});
  EXPECT_EQ(value_of(parse_bytes("8 Mb")), Bytes{1000000});
  EXPECT_EQ(value_of(parse_bytes("8 b")), Bytes{1});
  EXPECT_EQ(value_of(parse_bytes("0 B")), Bytes{0});
  EXPECT_EQ(value_of(parse_bytes("0.125 KiB")), Bytes{128});
  EXPECT_EQ(value_of(parse_bytes("1.000000000000000001 EB")), Bytes{1000000000000000001ULL});
  // 2^53 + 1 is not a double.
  EXPECT_EQ(value_of(parse_bytes("9007199254740993 B")), Bytes{9007199254740993ULL});
  EXPECT_EQ(value_of(parse_bytes("4611686018427387904 B")), Bytes{1ULL << 62});
}

TEST(Units, RatesKnowBitsBytesAndNoLimit) {
  EXPECT_EQ(value_of(parse_bytes_per_second("100 Gb/s")).value, 12.5e9);
  EXPECT_EQ(value_of(parse_bytes_per_second("12.5 GB/s")).value, 12.5e9);
  EXPECT_EQ(value_of(parse_bytes_per_second("50 GiB/s")).value, 53687091200.0);
  EXPECT_EQ(value_of(parse_bytes_per_second("inf")).value, k_infinity);
  EXPECT_EQ(value_of(parse_bytes_per_second("inf GB/s")).value, k_infinity);
}

TEST(Units, WorkAndSpeed) {
  EXPECT_EQ(value_of(parse_flops("2 GFLOP")).count, 2e9);
  EXPECT_EQ(value_of(parse_flops("0 FLOP")).count, 0.0);
  EXPECT_EQ(value_of(parse_flops_per_second("15.7 TFLOP/s")).value, 15.7e12);
  EXPECT_EQ(value_of(parse_flops_per_second("inf")).value, k_infinity);
}

TEST(Units, AMissingUnitIsRefusedWithExamples) {
  EXPECT_EQ(problem_of(parse_bytes_per_second("400")), "'400' has no unit");
  EXPECT_EQ(expected_of(parse_bytes_per_second("400")), "e.g. '400 Gb/s' or '50 GB/s'");
  EXPECT_EQ(problem_of(parse_seconds("2")), "'2' has no unit");
  EXPECT_EQ(expected_of(parse_seconds("2")), "e.g. '1.5 us' or '2 ms'");
  EXPECT_EQ(expected_of(parse_bytes("16")), "e.g. '16 GiB' or '512 MB'");
  EXPECT_EQ(expected_of(parse_flops("16")), "e.g. '2 GFLOP' or '1.5e9 FLOP'");
  EXPECT_EQ(expected_of(parse_flops_per_second("16")), "e.g. '15.7 TFLOP/s' or '989 TFLOP/s'");
}

TEST(Units, AnUnknownUnitIsNamed) {
  EXPECT_EQ(problem_of(parse_seconds("3 hours")), "'3 hours' has the unknown unit 'hours'");
  EXPECT_EQ(problem_of(parse_bytes("16 GiB/s")), "'16 GiB/s' has the unknown unit 'GiB/s'");
  EXPECT_EQ(problem_of(parse_bytes_per_second("16 GiB")), "'16 GiB' has the unknown unit 'GiB'");
  EXPECT_EQ(problem_of(parse_flops("2 GiFLOP")), "'2 GiFLOP' has the unknown unit 'GiFLOP'");
  EXPECT_EQ(expected_of(parse_seconds("3 hours")),
            "a time in s, ms, us or ns, e.g. '1.5 us' or '2 ms'");
}

TEST(Units, ImpossibleNumbersAreRefused) {
  EXPECT_EQ(problem_of(parse_seconds("1e400 s")), "'1e400 s' is too large");
  EXPECT_EQ(problem_of(parse_seconds("1e-400 s")), "'1e-400 s' is too small");
  EXPECT_EQ(problem_of(parse_seconds("1e99999999999999 s")), "'1e99999999999999 s' is too large");
  EXPECT_EQ(problem_of(parse_seconds("inf")), "'inf' is infinite");
  EXPECT_EQ(problem_of(parse_seconds("-1 ms")), "'-1 ms' is negative");
  EXPECT_EQ(problem_of(parse_bytes("-1 GiB")), "'-1 GiB' is negative");
  EXPECT_EQ(problem_of(parse_bytes("nan B")), "'nan B' is not a number with a unit");
  EXPECT_EQ(problem_of(parse_bytes("inf")), "'inf' is infinite");
  EXPECT_EQ(problem_of(parse_bytes("")), "'' is empty");
  EXPECT_EQ(problem_of(parse_bytes_per_second("0 GB/s")), "'0 GB/s' is zero");
  EXPECT_EQ(problem_of(parse_bytes_per_second("infinity")),
            "'infinity' is not a number with a unit");
}

TEST(Units, WhatNoMachineHasIsRefusedWithTheRange) {
  EXPECT_EQ(value_of(parse_seconds("1e12 s")).count(), 1e12);
  EXPECT_EQ(problem_of(parse_seconds("1.000001e12 s")), "'1.000001e12 s' is too large");
  EXPECT_EQ(expected_of(parse_seconds("1e200 s")),
            "a time in s, ms, us or ns, from 0 s to 1e+12 s");
  EXPECT_EQ(value_of(parse_bytes_per_second("8 b/s")).value, 1.0);
  EXPECT_EQ(problem_of(parse_bytes_per_second("7 b/s")), "'7 b/s' is too small");
  EXPECT_EQ(expected_of(parse_bytes_per_second("1e-300 B/s")),
            "a data rate in GB/s (bytes), Gb/s (bits), ..., from 1 B/s to 1e+30 B/s");
  EXPECT_EQ(problem_of(parse_bytes_per_second("1e22 GB/s")), "'1e22 GB/s' is too large");
  EXPECT_EQ(value_of(parse_flops("1e30 FLOP")).count, 1e30);
  EXPECT_EQ(expected_of(parse_flops("1e31 FLOP")),
            "an amount of work in FLOP, MFLOP, GFLOP, TFLOP, ..., from 0 FLOP to 1e+30 FLOP");
  EXPECT_EQ(problem_of(parse_flops_per_second("0.5 FLOP/s")), "'0.5 FLOP/s' is too small");
  EXPECT_EQ(problem_of(parse_flops_per_second("1e31 FLOP/s")), "'1e31 FLOP/s' is too large");
}

TEST(Units, NeitherSignsOfZeroNorOtherSpellingsOfInfinityAreQuantities) {
  EXPECT_EQ(problem_of(parse_seconds("-0 s")), "'-0 s' is negative");
  for (const char* text : {".nan", ".NaN", "nan s", ".inf", "Inf", "INF", "0x10 s"})
    EXPECT_NE(problem_of(parse_seconds(text)), "no problem") << text;
  for (const char* text : {".nan", ".inf", "Inf", "-.inf", "-inf", "+.inf"})
    EXPECT_NE(problem_of(parse_bytes_per_second(text)), "no problem") << text;
}

TEST(Units, SizesMustBeWholeAndBelowTwoToThe62) {
  EXPECT_EQ(problem_of(parse_bytes("0.5 B")), "'0.5 B' does not come to whole bytes");
  EXPECT_EQ(problem_of(parse_bytes("4 b")), "'4 b' does not come to whole bytes");
  EXPECT_EQ(problem_of(parse_bytes("1e-90 B")), "'1e-90 B' does not come to whole bytes");
  const std::string large = "is too large (more than 2^62 bytes)";
  EXPECT_EQ(problem_of(parse_bytes("4611686018427387905 B")), "'4611686018427387905 B' " + large);
  EXPECT_EQ(problem_of(parse_bytes("5 EB")), "'5 EB' " + large);
  EXPECT_EQ(problem_of(parse_bytes("1e30 B")), "'1e30 B' " + large);
}

TEST(Units, LongTextsAreCutInMessages) {
  EXPECT_EQ(problem_of(parse_bytes(std::string(100'000, '7') + " B")),
            "'" + std::string(60, '7') + "...' is too large (more than 2^62 bytes)");
}

TEST(Units, ExactTextsChooseAFittingUnit) {
  EXPECT_EQ(to_exact_text(Seconds{1.5e-6}), "1.5 us");
  EXPECT_EQ(to_exact_text(Seconds{0}), "0 s");
  EXPECT_EQ(to_exact_text(Seconds{1.0 / 3}), "333.3333333333333 ms");
  EXPECT_EQ(to_exact_text(Seconds{12345}), "12345 s");
  EXPECT_EQ(to_exact_text(Seconds{1e-30}), "1e-21 ns");
  EXPECT_EQ(to_exact_text(Bytes{16ULL << 30}), "16 GiB");
  EXPECT_EQ(to_exact_text(Bytes{1000}), "1000 B");
  EXPECT_EQ(to_exact_text(Bytes{0}), "0 B");
  EXPECT_EQ(to_exact_text(BytesPerSecond{12.5e9}), "12.5 GB/s");
  EXPECT_EQ(to_exact_text(BytesPerSecond{k_infinity}), "inf");
  EXPECT_EQ(to_exact_text(Flops{2e9}), "2 GFLOP");
  EXPECT_EQ(to_exact_text(FlopsPerSecond{15.7e12}), "15.7 TFLOP/s");
}

TEST(Units, ShortTextsHaveFourDigits) {
  EXPECT_EQ(to_text(Seconds{1.0 / 3}), "333.3 ms");
  EXPECT_EQ(to_text(Seconds{0.99999}), "1 s");
  EXPECT_EQ(to_text(Bytes{16ULL << 30}), "16 GiB");
  EXPECT_EQ(to_text(Bytes{(1ULL << 30) - 1}), "1 GiB");
  EXPECT_EQ(to_text(Bytes{1023}), "1023 B");
  EXPECT_EQ(to_text(Bytes{1000}), "1000 B");
  EXPECT_EQ(to_text(Bytes{123456789}), "117.7 MiB");  // 123456789 / 2^20 = 117.737...
  EXPECT_EQ(to_text(BytesPerSecond{53687091200.0}), "53.69 GB/s");
  EXPECT_EQ(to_text(Flops{1.25e18}), "1.25 EFLOP");
  EXPECT_EQ(to_text(FlopsPerSecond{k_infinity}), "inf");
}

/// A double of random bits from `least` to `most`, both positive.
double random_double(std::mt19937_64& random, double least, double most) {
  std::uint64_t low = 0;
  std::uint64_t high = 0;
  std::memcpy(&low, &least, sizeof low);
  std::memcpy(&high, &most, sizeof high);
  // Doubles that are not negative are in the order of their bits.
  const std::uint64_t bits = std::uniform_int_distribution<std::uint64_t>(low, high)(random);
  double value = 0.0;
  std::memcpy(&value, &bits, sizeof value);
  return value;
}

TEST(Units, ExactTextsReadBackToTheLastBit) {
  std::mt19937_64 random(1);
  constexpr double k_smallest = std::numeric_limits<double>::denorm_min();
  for (int i = 0; i < 20'000; ++i) {
    const Seconds time{random_double(random, k_smallest, 1e12)};
    ASSERT_EQ(value_of(parse_seconds(to_exact_text(time))).count(), time.count());
    const Flops work{random_double(random, k_smallest, 1e30)};
    ASSERT_EQ(value_of(parse_flops(to_exact_text(work))).count, work.count);
    const double rate = random_double(random, 1.0, 1e30);
    ASSERT_EQ(value_of(parse_bytes_per_second(to_exact_text(BytesPerSecond{rate}))).value, rate);
    ASSERT_EQ(value_of(parse_flops_per_second(to_exact_text(FlopsPerSecond{rate}))).value, rate);
  }
}

TEST(Units, ExactSizesReadBack) {
  std::mt19937_64 random(2);
  for (int i = 0; i < 20'000; ++i) {
    const Bytes value{random() >> (2 + random() % 62)};
    ASSERT_EQ(value_of(parse_bytes(to_exact_text(value))), value);
  }
}

TEST(Units, TransferTimeIsSizeOverRate) {
  EXPECT_DOUBLE_EQ((Bytes{50'000'000'000} / BytesPerSecond{25e9}).count(), 2.0);
  EXPECT_EQ((Bytes{1'000'000} / BytesPerSecond{k_infinity}).count(), 0.0);
}

}  // namespace
}  // namespace pipegraph
