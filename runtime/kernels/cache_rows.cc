// Storing cache rows on Highway. Neighbours: half_inl.h, cache_rows_reference.cc.
#include "kernels/cache_rows.h"

#include <cstring>

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "kernels/cache_rows.cc"
#include "hwy/foreach_target.h"  // compiles this file once per target
#include "hwy/highway.h"
#include "kernels/half_inl.h"
#include "kernels/lanes_inl.h"
#include "kernels/quantize_inl.h"
#include "kernels/row_quantization.h"
#include "kernels/target_inl.h"

HWY_BEFORE_NAMESPACE();
namespace dragoman::kernels::HWY_NAMESPACE {

DRAGOMAN_DEFINE_TARGET()

HWY_INLINE void store_halves(const float* from, size_t count, uint16_t* to) {
  const F32 d;
  size_t i = 0;
  for (; i + kVectorLanes <= count; i += kVectorLanes) {
    hn::StoreU(halves_from_floats(hn::LoadU(d, from + i)), HalfBits(), to + i);
  }
  if (i < count) hn::StoreN(halves_from_floats(hn::LoadN(d, from + i, count - i)), HalfBits(), to + i, count - i);
}

// round_half_even(x * steps) within +-127.
HWY_INLINE hn::Vec<QuantizedVector> quantize_symmetric(VF32 x, VF32 steps) {
  const F32 d;
  const auto scaled = hn::Mul(without_nan(x), steps);
  const auto bounded = hn::Min(hn::Max(scaled, hn::Set(d, -127.0f)), hn::Set(d, 127.0f));
  return hn::DemoteTo(QuantizedVector(), hn::NearestInt(bounded));
}

// Returns the scale.
HWY_INLINE float store_quantized(const float* from, size_t count, int8_t* to) {
  const F32 d;
  auto best = hn::Zero(d), spoiled = hn::Zero(d);
  size_t i = 0;
  for (; i + kVectorLanes <= count; i += kVectorLanes) {
    const auto x = hn::LoadU(d, from + i);
    best = hn::Max(hn::Abs(without_nan(x)), best);
    spoiled = add_spoiling(x, spoiled);
  }
  if (i < count) {
    const auto x = hn::LoadN(d, from + i, count - i);
    best = hn::Max(hn::Abs(without_nan(x)), best);
    spoiled = add_spoiling(x, spoiled);
  }
  float largest = hn::ReduceMax(d, best);
  largest = largest < kCacheLargest ? largest : kCacheLargest;
  const bool is_row_spoiled = is_spoiled(spoiled);
  if (largest < kCacheSmallest) {
    std::memset(to, 0, count);
    return is_row_spoiled ? kSpoiledScale : 0.0f;
  }
  const auto steps = hn::Set(d, 127.0f / largest);
  for (i = 0; i + kVectorLanes <= count; i += kVectorLanes) {
    hn::StoreU(quantize_symmetric(hn::LoadU(d, from + i), steps), QuantizedVector(), to + i);
  }
  if (i < count) {
    const size_t n = count - i;
    hn::StoreN(quantize_symmetric(hn::LoadN(d, from + i, n), steps), QuantizedVector(), to + i, n);
  }
  return is_row_spoiled ? kSpoiledScale : largest / 127.0f;
}

void store_cache_row_body(CacheType type, const float* keys_values, size_t width, std::byte* row) {
  switch (type) {
    case CacheType::kF32: std::memcpy(row, keys_values, 2 * width * sizeof(float)); return;
    case CacheType::kF16: store_halves(keys_values, 2 * width, reinterpret_cast<uint16_t*>(row)); return;
    case CacheType::kI8: break;
  }
  auto* bytes = reinterpret_cast<int8_t*>(row);
  auto* scales = reinterpret_cast<float*>(row + cache_scales_offset(width));
  scales[0] = store_quantized(keys_values, width, bytes);
  scales[1] = store_quantized(keys_values + width, width, bytes + width);
}

}  // namespace dragoman::kernels::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace dragoman::kernels {

DRAGOMAN_EXPORT_TARGET(cache_rows)
HWY_EXPORT(store_cache_row_body);

void store_cache_row(CacheType type, const float* keys_values, size_t width, std::byte* row) {
  HWY_DYNAMIC_DISPATCH(store_cache_row_body)(type, keys_values, width, row);
}

}  // namespace dragoman::kernels
#endif  // HWY_ONCE
