// Exact int8 dot products of one activation row with four weight rows at a time, compiled once per target.
// Neighbours: logits_inl.h. Sums are exact int32 (no 16-bit saturation anywhere), so every target gives the same.

#include <cstddef>
#include <cstdint>

#include "hwy/highway.h"

#if defined(DRAGOMAN_KERNELS_INTEGER_DOT_INL_H_) == defined(HWY_TARGET_TOGGLE)
#ifdef DRAGOMAN_KERNELS_INTEGER_DOT_INL_H_
#undef DRAGOMAN_KERNELS_INTEGER_DOT_INL_H_
#else
#define DRAGOMAN_KERNELS_INTEGER_DOT_INL_H_
#endif

// The u8 x i8 product that adds four pairs in 32 bits is one instruction from AVX3_DL (Ice Lake, Zen 4) on.
#undef DRAGOMAN_HAS_BYTE_DOT
#if HWY_ARCH_X86 && HWY_TARGET <= HWY_AVX3_DL
#define DRAGOMAN_HAS_BYTE_DOT 1
#else
#define DRAGOMAN_HAS_BYTE_DOT 0
#endif

HWY_BEFORE_NAMESPACE();
namespace dragoman::kernels::HWY_NAMESPACE {
namespace hn = hwy::HWY_NAMESPACE;

// Activations enter the byte product as q + 128, so its sums are too large by 128 * (sum of the weight row).
inline constexpr int32_t kActivationOffset = DRAGOMAN_HAS_BYTE_DOT ? 128 : 0;

#if HWY_MAX_BYTES >= 16

using Int32x4 = hn::CappedTag<int32_t, 4>;

template <class V>
HWY_INLINE hn::Vec<Int32x4> fold_integers(V x) {
  const hn::DFromV<V> d;
  if constexpr (hn::MaxLanes(d) > 4) {
    const hn::Half<decltype(d)> half;
    return fold_integers(hn::Add(hn::LowerHalf(half, x), hn::UpperHalf(half, x)));
  } else {
    return x;
  }
}

template <class V>
HWY_INLINE void store_sums(V a, V b, V c, V d, int32_t* to) {
  const Int32x4 tag;
  const auto qa = fold_integers(a), qb = fold_integers(b), qc = fold_integers(c), qd = fold_integers(d);
  const auto ab = hn::Add(hn::ConcatEven(tag, qb, qa), hn::ConcatOdd(tag, qb, qa));
  const auto cd = hn::Add(hn::ConcatEven(tag, qd, qc), hn::ConcatOdd(tag, qd, qc));
  hn::StoreU(hn::Add(hn::ConcatEven(tag, cd, ab), hn::ConcatOdd(tag, cd, ab)), tag, to);
}

#if DRAGOMAN_HAS_BYTE_DOT

// dots[i] = sum_k (activations[k] + 128) * rows[i][k] for four rows of `width` bytes.
HWY_INLINE void dot_four(const int8_t* HWY_RESTRICT activations, const int8_t* const* rows, size_t width,
                         int32_t* HWY_RESTRICT dots) {
  const hn::CappedTag<int8_t, 64> d8;
  const hn::RebindToUnsigned<decltype(d8)> du8;
  const hn::Repartition<int32_t, decltype(d8)> d32;
  constexpr size_t kStep = hn::MaxLanes(d8);
  const auto flip = hn::Set(du8, uint8_t{0x80});
  auto s0 = hn::Zero(d32), s1 = hn::Zero(d32), s2 = hn::Zero(d32), s3 = hn::Zero(d32);
  size_t k = 0;
  // Unrolled: 15% faster for rows of 256 bytes, which then need no loop.
  for (; k + 4 * kStep <= width; k += 4 * kStep) {
    HWY_UNROLL(4)
    for (size_t u = 0; u < 4; ++u) {
      const size_t at = k + u * kStep;
      const auto a = hn::Xor(hn::BitCast(du8, hn::LoadU(d8, activations + at)), flip);
      s0 = hn::SumOfMulQuadAccumulate(d32, a, hn::LoadU(d8, rows[0] + at), s0);
      s1 = hn::SumOfMulQuadAccumulate(d32, a, hn::LoadU(d8, rows[1] + at), s1);
      s2 = hn::SumOfMulQuadAccumulate(d32, a, hn::LoadU(d8, rows[2] + at), s2);
      s3 = hn::SumOfMulQuadAccumulate(d32, a, hn::LoadU(d8, rows[3] + at), s3);
    }
  }
  for (; k + kStep <= width; k += kStep) {
    const auto a = hn::Xor(hn::BitCast(du8, hn::LoadU(d8, activations + k)), flip);
    s0 = hn::SumOfMulQuadAccumulate(d32, a, hn::LoadU(d8, rows[0] + k), s0);
    s1 = hn::SumOfMulQuadAccumulate(d32, a, hn::LoadU(d8, rows[1] + k), s1);
    s2 = hn::SumOfMulQuadAccumulate(d32, a, hn::LoadU(d8, rows[2] + k), s2);
    s3 = hn::SumOfMulQuadAccumulate(d32, a, hn::LoadU(d8, rows[3] + k), s3);
  }
  if (k < width) {
    const size_t n = width - k;  // the weights behind the end load as 0
    const auto a = hn::Xor(hn::BitCast(du8, hn::LoadN(d8, activations + k, n)), flip);
    s0 = hn::SumOfMulQuadAccumulate(d32, a, hn::LoadN(d8, rows[0] + k, n), s0);
    s1 = hn::SumOfMulQuadAccumulate(d32, a, hn::LoadN(d8, rows[1] + k, n), s1);
    s2 = hn::SumOfMulQuadAccumulate(d32, a, hn::LoadN(d8, rows[2] + k, n), s2);
    s3 = hn::SumOfMulQuadAccumulate(d32, a, hn::LoadN(d8, rows[3] + k, n), s3);
  }
  store_sums(s0, s1, s2, s3, dots);
}

#else

using Int16 = hn::CappedTag<int16_t, 32>;
using HalfInt8 = hn::Rebind<int8_t, Int16>;
using WideInt32 = hn::Repartition<int32_t, Int16>;

// Two 16-bit products a lane, added in 32 bits.
struct IntegerSums {
  hn::Vec<WideInt32> even;
  hn::Vec<WideInt32> odd;
};

HWY_INLINE IntegerSums zero_sums() { return {hn::Zero(WideInt32()), hn::Zero(WideInt32())}; }

HWY_INLINE void add_products(IntegerSums& sums, hn::Vec<Int16> a, hn::Vec<HalfInt8> w) {
  sums.even = hn::ReorderWidenMulAccumulate(WideInt32(), a, hn::PromoteTo(Int16(), w), sums.even, sums.odd);
}

HWY_INLINE hn::Vec<WideInt32> total(const IntegerSums& sums) { return hn::Add(sums.even, sums.odd); }

// dots[i] = sum_k activations[k] * rows[i][k] for four rows of `width` bytes.
HWY_INLINE void dot_four(const int8_t* HWY_RESTRICT activations, const int8_t* const* rows, size_t width,
                         int32_t* HWY_RESTRICT dots) {
  const HalfInt8 d8;
  constexpr size_t kStep = hn::MaxLanes(d8);
  IntegerSums s0 = zero_sums(), s1 = zero_sums(), s2 = zero_sums(), s3 = zero_sums();
  size_t k = 0;
  for (; k + kStep <= width; k += kStep) {
    const auto a = hn::PromoteTo(Int16(), hn::LoadU(d8, activations + k));
    add_products(s0, a, hn::LoadU(d8, rows[0] + k));
    add_products(s1, a, hn::LoadU(d8, rows[1] + k));
    add_products(s2, a, hn::LoadU(d8, rows[2] + k));
    add_products(s3, a, hn::LoadU(d8, rows[3] + k));
  }
  if (k < width) {
    const size_t n = width - k;
    const auto a = hn::PromoteTo(Int16(), hn::LoadN(d8, activations + k, n));
    add_products(s0, a, hn::LoadN(d8, rows[0] + k, n));
    add_products(s1, a, hn::LoadN(d8, rows[1] + k, n));
    add_products(s2, a, hn::LoadN(d8, rows[2] + k, n));
    add_products(s3, a, hn::LoadN(d8, rows[3] + k, n));
  }
  store_sums(total(s0), total(s1), total(s2), total(s3), dots);
}

#endif  // DRAGOMAN_HAS_BYTE_DOT

#else  // one lane: plain loops

HWY_INLINE void dot_four(const int8_t* activations, const int8_t* const* rows, size_t width, int32_t* dots) {
  for (size_t i = 0; i < 4; ++i) {
    uint32_t sum = 0;  // wraps like the vectors do
    for (size_t k = 0; k < width; ++k) sum += static_cast<uint32_t>(int32_t{activations[k]} * int32_t{rows[i][k]});
    dots[i] = static_cast<int32_t>(sum);
  }
}

#endif  // HWY_MAX_BYTES

}  // namespace dragoman::kernels::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#endif  // include guard per target
