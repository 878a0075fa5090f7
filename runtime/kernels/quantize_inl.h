// One row of floats to int8, compiled once per target.
// Neighbours: quantize.cc (rows), normalize.cc (in the same pass as the norm).

#include <cstddef>
#include <cstdint>

#include "hwy/highway.h"
#include "kernels/lanes_inl.h"
#include "kernels/quantize.h"

#if defined(DRAGOMAN_KERNELS_QUANTIZE_INL_H_) == defined(HWY_TARGET_TOGGLE)
#ifdef DRAGOMAN_KERNELS_QUANTIZE_INL_H_
#undef DRAGOMAN_KERNELS_QUANTIZE_INL_H_
#else
#define DRAGOMAN_KERNELS_QUANTIZE_INL_H_
#endif

HWY_BEFORE_NAMESPACE();
namespace dragoman::kernels::HWY_NAMESPACE {

using QuantizedVector = hn::Rebind<int8_t, F32>;

// NaN becomes 0. Values are clamped later, where the bounds are known.
HWY_INLINE VF32 without_nan(VF32 x) { return hn::IfThenElseZero(hn::Eq(x, x), x); }

// `sum` stays 0 (of either sign) in a lane as long as what is added there is finite, else it becomes and remains NaN.
HWY_INLINE VF32 add_spoiling(VF32 x, VF32 sum) { return hn::MulAdd(x, hn::Zero(F32()), sum); }
HWY_INLINE bool is_spoiled(VF32 sum) { return hn::ReduceSum(F32(), sum) != 0.0f; }

// round_half_even(x * steps) + zero_point, within int8.
HWY_INLINE hn::Vec<QuantizedVector> quantize_vector(VF32 x, VF32 steps, VI32 zero_point) {
  const F32 d;
  // |x * steps| exceeds 255 only for values outside the row's range; the clamp keeps the conversion defined.
  auto scaled = hn::Mul(without_nan(x), steps);
  scaled = hn::Min(hn::Max(scaled, hn::Set(d, -512.0f)), hn::Set(d, 512.0f));
  return hn::DemoteTo(QuantizedVector(), hn::Add(hn::NearestInt(scaled), zero_point));
}

HWY_INLINE RowQuantization quantize_row(const float* HWY_RESTRICT input, size_t width, int8_t* HWY_RESTRICT output) {
  const F32 d;
  VF32 low0 = hn::Zero(d), high0 = hn::Zero(d), low1 = hn::Zero(d), high1 = hn::Zero(d);
  VF32 spoiled0 = hn::Zero(d), spoiled1 = hn::Zero(d);
  size_t i = 0;
  for (; i + 2 * kVectorLanes <= width; i += 2 * kVectorLanes) {
    const auto raw0 = hn::LoadU(d, input + i), raw1 = hn::LoadU(d, input + i + kVectorLanes);
    const auto x0 = without_nan(raw0), x1 = without_nan(raw1);
    spoiled0 = add_spoiling(raw0, spoiled0);
    spoiled1 = add_spoiling(raw1, spoiled1);
    low0 = hn::Min(x0, low0);
    high0 = hn::Max(x0, high0);
    low1 = hn::Min(x1, low1);
    high1 = hn::Max(x1, high1);
  }
  for (; i < width; i += kVectorLanes) {
    const auto raw = hn::LoadN(d, input + i, width - i);
    const auto x = without_nan(raw);
    spoiled0 = add_spoiling(raw, spoiled0);
    low0 = hn::Min(x, low0);
    high0 = hn::Max(x, high0);
  }
  RowSteps steps = choose_steps(hn::ReduceMin(d, hn::Min(low0, low1)), hn::ReduceMax(d, hn::Max(high0, high1)));

  const auto factor = hn::Set(d, steps.steps);
  const auto zero_point = hn::Set(I32(), steps.quantization.zero_point);
  for (i = 0; i + kVectorLanes <= width; i += kVectorLanes) {
    hn::StoreU(quantize_vector(hn::LoadU(d, input + i), factor, zero_point), QuantizedVector(), output + i);
  }
  if (i < width) {
    const auto x = hn::LoadN(d, input + i, width - i);
    hn::StoreN(quantize_vector(x, factor, zero_point), QuantizedVector(), output + i, width - i);
  }
  if (is_spoiled(hn::Add(spoiled0, spoiled1))) steps.quantization.scale = kSpoiledScale;
  return steps.quantization;
}

}  // namespace dragoman::kernels::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#endif  // include guard per target
