// Storing cache rows in plain C++: the specification. Neighbours: cache_rows.cc, half.h.
#include <algorithm>
#include <cmath>
#include <cstring>

#include "kernels/cache_rows.h"
#include "kernels/half.h"
#include "kernels/math_constants.h"
#include "kernels/row_quantization.h"

namespace dragoman::kernels::reference {
namespace {

float round_half_even(float x) { return (x + math::kRoundingShift) - math::kRoundingShift; }

// Returns the scale.
float quantize_part(const float* part, size_t width, int8_t* to) {
  float largest = 0.0f;
  bool finite = true;
  for (size_t i = 0; i < width; ++i) {
    largest = std::max(largest, std::isnan(part[i]) ? 0.0f : std::fabs(part[i]));
    finite = finite && std::isfinite(part[i]);
  }
  largest = std::min(largest, kCacheLargest);
  const float steps = largest < kCacheSmallest ? 0.0f : 127.0f / largest;
  for (size_t i = 0; i < width; ++i) {
    const float scaled = std::isnan(part[i]) || steps == 0.0f ? 0.0f : part[i] * steps;
    to[i] = static_cast<int8_t>(round_half_even(std::min(std::max(scaled, -127.0f), 127.0f)));
  }
  if (!finite) return kSpoiledScale;
  return steps == 0.0f ? 0.0f : largest / 127.0f;
}

}  // namespace

void store_cache_row(CacheType type, const float* keys_values, size_t width, std::byte* row) {
  if (type == CacheType::kF32) {
    for (size_t i = 0; i < 2 * width; ++i) std::memcpy(row + i * sizeof(float), keys_values + i, sizeof(float));
    return;
  }
  if (type == CacheType::kF16) {
    for (size_t i = 0; i < 2 * width; ++i) {
      const uint16_t half = half_from_float(keys_values[i]);
      std::memcpy(row + i * sizeof(half), &half, sizeof(half));
    }
    return;
  }
  auto* bytes = reinterpret_cast<int8_t*>(row);
  const float scales[2] = {quantize_part(keys_values, width, bytes),
                           quantize_part(keys_values + width, width, bytes + width)};
  std::memcpy(row + cache_scales_offset(width), scales, sizeof(scales));
}

}  // namespace dragoman::kernels::reference
