// Search of scales and packing of halves; the same bits on every machine.
// Neighbours: int4_blocks.h.
#include "converter/quantize/int4_blocks.h"

#include <algorithm>
#include <array>
#include <cfloat>
#include <cmath>

#include "converter/quantize/clipping.h"
#include "converter/quantize/float_types.h"

namespace dragoman::converter {
namespace {

constexpr Grid kInt4Grid = {-8.0f, 7.0f};
// The largest value of a block is tried as these many steps: 6.6, 6.8 … 11. Above 7.5 it is clipped.
constexpr int kFirstReach = 33, kLastReach = 55;
constexpr float kReachStep = 0.2f;

using Block = std::array<float, kInt4BlockColumns>;

uint16_t block_scale(std::span<const float> block, std::span<const float> importance) {
  float largest = 0;
  for (const float value : block) largest = std::max(largest, std::fabs(value));
  if (largest / static_cast<float>(kLastReach) < FLT_MIN) return bfloat16_from_float(1.0f);
  // In units of the largest value, so that no square overflows.
  Block units;
  for (size_t i = 0; i < units.size(); ++i) units[i] = block[i] / largest;
  uint16_t best = 0;
  float best_step = 0, least = INFINITY;
  const auto consider = [&](float step) {
    const uint16_t scale = bfloat16_from_float(step * largest);
    const float rounded = float_from_bfloat16(scale) / largest;
    const float error = clipping_error(units, importance, rounded, kInt4Grid);
    if (!(error < least)) return;
    least = error;
    best = scale;
    best_step = rounded;
  };
  for (int reach = kFirstReach; reach <= kLastReach; ++reach) {
    consider(1.0f / (static_cast<float>(reach) * kReachStep));
  }
  consider(least_squares_step(units, importance, best_step, kInt4Grid));
  return best;
}

int element(float value, uint16_t scale) {
  const double steps = static_cast<double>(value) / static_cast<double>(float_from_bfloat16(scale));
  return static_cast<int>(round_even(std::min(std::max(steps, -8.0), 7.0)));
}

}  // namespace

void int4_block_scales(std::span<const float> row, std::span<const float> importance, std::span<uint16_t> out) {
  static constexpr Block kAlike = [] {
    Block ones = {};
    ones.fill(1.0f);
    return ones;
  }();
  for (size_t block = 0; block < out.size(); ++block) {
    const size_t first = block * kInt4BlockColumns;
    out[block] = block_scale(row.subspan(first, kInt4BlockColumns),
                             importance.empty() ? kAlike : importance.subspan(first, kInt4BlockColumns));
  }
}

void quantize_int4_row(std::span<const float> row, std::span<const uint16_t> scales, std::span<uint8_t> out) {
  for (size_t i = 0; i < out.size(); ++i) {
    const uint16_t scale = scales[2 * i / kInt4BlockColumns];
    const int even = element(row[2 * i], scale), odd = element(row[2 * i + 1], scale);
    out[i] = static_cast<uint8_t>((even & 15) | (odd & 15) << 4);
  }
}

void restore_int4_row(std::span<const uint8_t> row, std::span<const uint16_t> scales, std::span<float> out) {
  for (size_t i = 0; i < out.size(); ++i) {
    const int nibble = row[i / 2] >> (i % 2 * 4) & 15;
    out[i] = static_cast<float>((nibble ^ 8) - 8) * float_from_bfloat16(scales[i / kInt4BlockColumns]);
  }
}

}  // namespace dragoman::converter
