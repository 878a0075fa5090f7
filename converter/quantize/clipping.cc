// Loops that a compiler vectorizes; sums run over eight lanes, so that every machine finds the same steps.
// Neighbours: clipping.h.
#include "converter/quantize/clipping.h"

#include <algorithm>
#include <array>

namespace dragoman::converter {
namespace {

constexpr size_t kLanes = 8;
using Lanes = std::array<float, kLanes>;

// Adding 1.5 * 2^23 leaves no place for a fraction: the addition rounds half to even. |x| < 2^22.
float round_even(float x) {
  constexpr float kMagic = 12582912.0f;
  return x + kMagic - kMagic;
}

float quantized(float value, float inverse, Grid grid) {
  return round_even(std::min(std::max(value * inverse, grid.low), grid.high));
}

float total(const Lanes& lanes) {
  return ((lanes[0] + lanes[4]) + (lanes[2] + lanes[6])) + ((lanes[1] + lanes[5]) + (lanes[3] + lanes[7]));
}

}  // namespace

float clipping_error(std::span<const float> values, std::span<const float> importance, float step, Grid grid) {
  const float inverse = 1.0f / step;
  Lanes sums = {};
  size_t i = 0;
  for (; i + kLanes <= values.size(); i += kLanes) {
    for (size_t lane = 0; lane < kLanes; ++lane) {
      const float error = values[i + lane] - step * quantized(values[i + lane], inverse, grid);
      sums[lane] += importance[i + lane] * (error * error);
    }
  }
  for (size_t lane = 0; i < values.size(); ++i, ++lane) {
    const float error = values[i] - step * quantized(values[i], inverse, grid);
    sums[lane] += importance[i] * (error * error);
  }
  return total(sums);
}

float least_squares_step(std::span<const float> values, std::span<const float> importance, float step, Grid grid) {
  const float inverse = 1.0f / step;
  double numerator = 0, denominator = 0;
  for (size_t i = 0; i < values.size(); ++i) {
    const double q = quantized(values[i], inverse, grid);
    numerator += static_cast<double>(importance[i]) * static_cast<double>(values[i]) * q;
    denominator += static_cast<double>(importance[i]) * q * q;
  }
  return denominator > 0 && numerator > 0 ? static_cast<float>(numerator / denominator) : step;
}

}  // namespace dragoman::converter
