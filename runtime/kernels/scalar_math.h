// Elementary functions for the scalar references: the same operations in the same order as math_inl.h, std::fma for
// every fused step, so that both give the same bits. Neighbours: the *_reference.cc files and tests.
#pragma once

#include <bit>
#include <cmath>
#include <cstddef>
#include <cstdint>

#include "kernels/math_constants.h"

namespace dragoman::kernels::reference {

template <size_t kCount>
float polynomial(float x, const float (&coefficients)[kCount]) {
  float y = coefficients[kCount - 1];
  for (size_t i = kCount - 1; i-- > 0;) y = std::fma(y, x, coefficients[i]);
  return y;
}

inline float exp(float x) {
  if (std::isnan(x)) return x;
  float clamped = x > math::kExpLowest ? x : math::kExpLowest;
  clamped = clamped < math::kExpHighest ? clamped : math::kExpHighest;
  const float shifted = std::fma(clamped, math::kLog2E, math::kRoundingShift);
  const float n = shifted - math::kRoundingShift;
  float r = std::fma(-n, math::kLn2High, clamped);
  r = std::fma(-n, math::kLn2Low, r);
  const float p = std::fma(r * r, polynomial(r, math::kExp), r) + 1.0f;
  const uint32_t bits = std::bit_cast<uint32_t>(p) + (std::bit_cast<uint32_t>(shifted) << 23);
  return x < math::kExpLowest ? 0.0f : std::bit_cast<float>(bits);
}

// x > 0, normal and finite.
inline float log(float x) {
  const uint32_t offset = std::bit_cast<uint32_t>(x) - std::bit_cast<uint32_t>(math::kSqrtHalf);
  const int32_t exponent = static_cast<int32_t>(offset) >> 23;
  const float mantissa = std::bit_cast<float>((offset & 0x7FFFFFu) + std::bit_cast<uint32_t>(math::kSqrtHalf));
  const float f = mantissa - 1.0f;
  const float e = static_cast<float>(exponent);
  const float square = f * f;
  float y = f * square * polynomial(f, math::kLog);
  y = std::fma(e, math::kLn2Low, y);
  y = std::fma(square, -0.5f, y);
  return std::fma(e, math::kLn2High, f + y);
}

inline float sigmoid(float x) { return 1.0f / (exp(0.0f - x) + 1.0f); }

inline float tanh(float x) {
  const float magnitude = std::fabs(x);
  const float square = x * x;
  const float small = std::fma(square * magnitude, polynomial(square, math::kTanh), magnitude);
  const float large = 1.0f - 2.0f / (exp(magnitude + magnitude) + 1.0f);
  return std::copysign(magnitude < math::kTanhSmall ? small : large, x);
}

inline float erf(float x) {
  float magnitude = std::fabs(x);
  magnitude = magnitude < math::kErfHighest ? magnitude : math::kErfHighest;
  const float small = magnitude * polynomial(magnitude * magnitude, math::kErf);
  const float large = 1.0f - exp(0.0f - polynomial(magnitude, math::kErfTail));
  return std::copysign(magnitude < 1.0f ? small : large, x);
}

// Sums floats over 16 virtual lanes: element i goes to lane i % 16 of accumulator (i / 16) % 4; the accumulators are
// joined as (0 + 1) + (2 + 3), the lanes by halves: i + 8, i + 4, i + 2, i + 1.
class LaneSum {
 public:
  void add(size_t i, float value) { lane(i) += value; }
  void multiply_add(size_t i, float a, float b) { lane(i) = std::fma(a, b, lane(i)); }
  float total() const {
    float sum[16];
    for (size_t i = 0; i < 16; ++i) sum[i] = (lanes_[0][i] + lanes_[1][i]) + (lanes_[2][i] + lanes_[3][i]);
    for (size_t half = 8; half > 0; half /= 2) {
      for (size_t i = 0; i < half; ++i) sum[i] += sum[i + half];
    }
    return sum[0];
  }

 private:
  float& lane(size_t i) { return lanes_[i / 16 % 4][i % 16]; }
  float lanes_[4][16] = {};
};

}  // namespace dragoman::kernels::reference
