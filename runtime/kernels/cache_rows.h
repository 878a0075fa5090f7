// Rows of the self-attention cache: keys and values of one position, as floats, halves or int8 with two scales.
// Neighbours: ops/cached_self_attention stores one row per hypothesis and step, kernels/cached_attention reads them.
#pragma once

#include <cstddef>
#include <cstdint>

namespace dragoman::kernels {

// Element type of a cache, chosen when a session is created.
enum class CacheType : uint8_t { kF32 = 0, kF16 = 1, kI8 = 2 };
inline constexpr size_t kNumCacheTypes = 3;

constexpr size_t cache_element_bytes(CacheType type) {
  return type == CacheType::kF32 ? sizeof(float) : type == CacheType::kF16 ? sizeof(uint16_t) : sizeof(int8_t);
}

// int8 rows: where the scale of the keys and then that of the values stand, in bytes from the row's start.
constexpr size_t cache_scales_offset(size_t width) { return (2 * width + 3) / 4 * 4; }

// Bytes from row to row; a row is keys [width], values [width], for int8 then two floats. A multiple of 16, never of
// 4096: rows would compete for the same cache sets.
constexpr size_t cache_row_bytes(CacheType type, size_t width) {
  const size_t bytes =
      type == CacheType::kI8 ? cache_scales_offset(width) + 2 * sizeof(float) : 2 * width * cache_element_bytes(type);
  const size_t rounded = (bytes + 15) / 16 * 16;
  return rounded % 4096 == 0 && rounded != 0 ? rounded + 64 : rounded;
}

// Bounds of the largest magnitude of an int8 part, see below.
inline constexpr float kCacheLargest = 1e38f;
inline constexpr float kCacheSmallest = 1e-30f;

// Writes keys | values (f32 [2 * width]) as one row at `row` (4-byte aligned). kF16: half_from_float(). kI8: each part
// has scale = largest magnitude / 127 and q = round_half_even(x * (127 / largest)); a part whose largest magnitude is
// below 1e-30 is stored as zeros, magnitudes beyond 1e38 saturate, a part with NaN or infinity has kSpoiledScale. Every
// target gives the same bits.
void store_cache_row(CacheType type, const float* keys_values, size_t width, std::byte* row);

namespace reference {
void store_cache_row(CacheType type, const float* keys_values, size_t width, std::byte* row);
}

}  // namespace dragoman::kernels
