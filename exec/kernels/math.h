// Functions of one number that kernels need, for float in a form that vectorises and gives the same
// bits on every machine (no library call, no fused multiply-add), for double from the library.
// NaN stays NaN.
#pragma once

#include <bit>
#include <cmath>
#include <cstdint>
#include <limits>
#include <numbers>

#include "exec/kernels/host_device.h"

namespace pipegraph::kernels {

PIPEGRAPH_HOST_DEVICE double exponential(double x) { return std::exp(x); }

/// Within 2e-7 of e^x, relative. Results below 2^-126 are 0, above e^88.37 infinity.
PIPEGRAPH_HOST_DEVICE float exponential(float x) {
  // e^x = 2^n e^r with |r| <= ln(2) / 2. Adding 1.5 2^23 rounds to the nearest whole number, which
  // then stands in the low bits. ln 2 is split so that n times its first part is exact.
  constexpr float k_round = 12582912.0F;
  constexpr auto k_log2_e = std::numbers::log2e_v<float>;
  constexpr float k_ln2_first = 355.0F / 512.0F;
  constexpr auto k_ln2_rest = static_cast<float>(std::numbers::ln2 - 355.0 / 512.0);
  const float shifted = x * k_log2_e + k_round;
  const float n = shifted - k_round;
  const float r = (x - n * k_ln2_first) - n * k_ln2_rest;
  // The Taylor series; the first term left out is below 6e-9.
  float p = 1.0F / 5040.0F;
  p = p * r + 1.0F / 720.0F;
  p = p * r + 1.0F / 120.0F;
  p = p * r + 1.0F / 24.0F;
  p = p * r + 1.0F / 6.0F;
  p = p * r + 0.5F;
  p = p * r + 1.0F;
  p = p * r + 1.0F;
  const std::uint32_t exponent = std::bit_cast<std::uint32_t>(shifted) + 127U;
  float result = p * std::bit_cast<float>(exponent << 23);
  result = x < -87.33F ? 0.0F : result;
  return x > 88.37F ? std::numeric_limits<float>::infinity() : result;
}

template <class T>
PIPEGRAPH_HOST_DEVICE T logistic(T x) {
  return T{1} / (T{1} + exponential(-x));
}

}  // namespace pipegraph::kernels
