// Row quantizer; plain arithmetic without contraction, so every machine writes the same file.
// Neighbours: int8_rows.h.
#include "converter/quantize/int8_rows.h"

#include <algorithm>
#include <cfloat>
#include <cmath>
#include <vector>

#include "converter/quantize/clipping.h"

namespace dragoman::converter {
namespace {

constexpr Grid kInt8Grid = {-127.0f, 127.0f};
// Shares of max|v| that are tried as the largest value kept: 1, 0.98 … 0.6.
constexpr int kClippingSteps = 20;
constexpr float kClippingStep = 0.02f;

float largest_magnitude(std::span<const float> row) {
  float largest = 0;
  for (const float value : row) largest = std::max(largest, std::fabs(value));
  return largest;
}

}  // namespace

float int8_row_scale(std::span<const float> row) {
  const float scale = largest_magnitude(row) / kInt8Grid.high;
  return scale < FLT_MIN ? 1.0f : scale;
}

float int8_clipped_scale(std::span<const float> row, std::span<const float> importance) {
  const float whole = int8_row_scale(row);
  const float largest = largest_magnitude(row);
  if (largest / kInt8Grid.high < FLT_MIN) return whole;
  // In units of the largest value, so that no square overflows.
  std::vector<float> units(row.size());
  for (size_t i = 0; i < row.size(); ++i) units[i] = row[i] / largest;
  float best = 1.0f / kInt8Grid.high;
  float least = clipping_error(units, importance, best, kInt8Grid);
  const auto consider = [&](float step) {
    const float error = clipping_error(units, importance, step, kInt8Grid);
    if (!(error < least)) return;
    least = error;
    best = step;
  };
  for (int i = 1; i <= kClippingSteps; ++i) {
    consider((1.0f - static_cast<float>(i) * kClippingStep) / kInt8Grid.high);
  }
  consider(least_squares_step(units, importance, best, kInt8Grid));
  const float scale = best * largest;
  return best == 1.0f / kInt8Grid.high || !std::isnormal(scale) ? whole : scale;
}

void quantize_int8_row(std::span<const float> row, float scale, std::span<int8_t> out) {
  for (size_t i = 0; i < row.size(); ++i) {
    const double steps = static_cast<double>(row[i]) / static_cast<double>(scale);
    out[i] = static_cast<int8_t>(static_cast<int32_t>(round_even(std::min(std::max(steps, -127.0), 127.0))));
  }
}

void restore_int8_row(std::span<const int8_t> row, float scale, std::span<float> out) {
  for (size_t i = 0; i < row.size(); ++i) out[i] = static_cast<float>(row[i]) * scale;
}

}  // namespace dragoman::converter
