// IEEE 754 half precision in plain C++: what the vector conversions must equal bit for bit.
// Neighbours: half_inl.h is the same on vectors; the cache rows and float16 weights are stored so.
#pragma once

#include <bit>
#include <cstdint>

namespace dragoman::kernels {

inline constexpr float kHalfLargest = 65504.0f;
inline constexpr float kHalfSmallestNormal = 0x1p-14f;
inline constexpr uint16_t kHalfInfinity = 0x7C00;
inline constexpr uint16_t kHalfNan = 0x7E00;

// The nearest half, ties to even. What is finite beyond +-65504 saturates, infinities stay; NaN becomes kHalfNan.
inline uint16_t half_from_float(float x) {
  const uint32_t bits = std::bit_cast<uint32_t>(x);
  const uint32_t sign = bits & 0x80000000u;
  const float magnitude = std::bit_cast<float>(bits ^ sign);
  if (magnitude != magnitude) return kHalfNan;
  if (std::bit_cast<uint32_t>(magnitude) == 0x7F800000u) return static_cast<uint16_t>(kHalfInfinity | sign >> 16);
  const float bounded = magnitude < kHalfLargest ? magnitude : kHalfLargest;
  const uint32_t b = std::bit_cast<uint32_t>(bounded);
  // Rebias the exponent by 127 - 15 and round: half of the last place less one, plus one when the last place is odd.
  const uint32_t normal = (b - (112u << 23) + 0xFFFu + ((b >> 13) & 1u)) >> 13;
  // The last place of 0.5 is the spacing of subnormal halves, 2^-24: the addition rounds.
  const uint32_t subnormal = std::bit_cast<uint32_t>(bounded + 0.5f) - std::bit_cast<uint32_t>(0.5f);
  return static_cast<uint16_t>((bounded < kHalfSmallestNormal ? subnormal : normal) | sign >> 16);
}

// Exact.
inline float float_from_half(uint16_t half) {
  const uint32_t sign = (half & 0x8000u) << 16;
  const uint32_t exponent = half >> 10 & 31u;
  const uint32_t mantissa = half & 1023u;
  if (exponent == 31) return std::bit_cast<float>(sign | 0x7F800000u | mantissa << 13);
  if (exponent != 0) return std::bit_cast<float>(sign | (exponent + 112u) << 23 | mantissa << 13);
  const float subnormal = static_cast<float>(mantissa) * 0x1p-24f;
  return std::bit_cast<float>(std::bit_cast<uint32_t>(subnormal) | sign);
}

}  // namespace dragoman::kernels
