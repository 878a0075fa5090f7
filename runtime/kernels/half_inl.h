// Half precision on vectors, compiled once per target: the bits of half.h everywhere.
// Neighbours: cache_rows.cc stores halves, cached_attention.cc reads them.

#include <cstddef>
#include <cstdint>

#include "hwy/highway.h"
#include "kernels/half.h"
#include "kernels/lanes_inl.h"

#if defined(DRAGOMAN_KERNELS_HALF_INL_H_) == defined(HWY_TARGET_TOGGLE)
#ifdef DRAGOMAN_KERNELS_HALF_INL_H_
#undef DRAGOMAN_KERNELS_HALF_INL_H_
#else
#define DRAGOMAN_KERNELS_HALF_INL_H_
#endif

HWY_BEFORE_NAMESPACE();
namespace dragoman::kernels::HWY_NAMESPACE {

using HalfBits = hn::Rebind<uint16_t, F32>;
using HalfFloats = hn::Rebind<hwy::float16_t, F32>;

// half_from_float() of every lane. In integers, because not every target has the instruction.
HWY_INLINE hn::Vec<HalfBits> halves_from_floats(VF32 x) {
  const F32 d;
  const I32 di;
  const auto bits = hn::BitCast(di, x);
  const auto magnitude_bits = hn::And(bits, hn::Set(di, 0x7FFFFFFF));
  const auto sign = hn::And(hn::ShiftRight<16>(bits), hn::Set(di, 0x8000));
  const auto infinity = hn::Set(di, 0x7F800000);
  const auto bounded_bits = hn::Min(magnitude_bits, hn::BitCast(di, hn::Set(d, kHalfLargest)));
  const auto odd = hn::And(hn::ShiftRight<13>(bounded_bits), hn::Set(di, 1));
  const auto rebias = hn::Set(di, 0xFFF - (112 << 23));
  const auto normal = hn::ShiftRight<13>(hn::Add(hn::Add(bounded_bits, rebias), odd));
  const auto half = hn::Set(d, 0.5f);
  const auto shifted = hn::Add(hn::BitCast(d, bounded_bits), half);
  const auto subnormal = hn::Sub(hn::BitCast(di, shifted), hn::BitCast(di, half));
  const auto is_subnormal = hn::Lt(bounded_bits, hn::BitCast(di, hn::Set(d, kHalfSmallestNormal)));
  auto result = hn::IfThenElse(is_subnormal, subnormal, normal);
  result = hn::Or(hn::IfThenElse(hn::Eq(magnitude_bits, infinity), hn::Set(di, kHalfInfinity), result), sign);
  result = hn::IfThenElse(hn::Gt(magnitude_bits, infinity), hn::Set(di, kHalfNan), result);
  return hn::DemoteTo(HalfBits(), result);
}

HWY_INLINE VF32 floats_from_halves(hn::Vec<HalfBits> halves) {
  const auto floats = hn::PromoteTo(F32(), hn::BitCast(HalfFloats(), halves));
#if (HWY_ARCH_X86 && HWY_TARGET <= HWY_AVX2) || HWY_ARCH_ARM_A64
  return floats;
#else
  // Without an instruction for it, Highway takes the exponent of infinity and NaN for an ordinary one.
  const I32 d;
  const auto bits = hn::BitCast(d, floats), infinity = hn::Set(d, 0x7F800000);
  const auto special = hn::Ge(hn::And(bits, hn::Set(d, 0x7FFFFFFF)), hn::BitCast(d, hn::Set(F32(), 0x1p16f)));
  return hn::BitCast(F32(), hn::IfThenElse(special, hn::Or(bits, infinity), bits));
#endif
}

}  // namespace dragoman::kernels::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#endif  // include guard per target
