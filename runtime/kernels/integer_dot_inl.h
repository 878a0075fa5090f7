// Exact int8 dot products of one activation row with 16 weight rows at a time, compiled once per target.
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

#if DRAGOMAN_HAS_BYTE_DOT

using Int32x16 = hn::FixedTag<int32_t, 16>;
using Sums = hn::Vec<Int32x16>;

// Sums over lanes of 16 vectors, lane i of the result for x[i]. Four vectors become one with a block each, these four
// one with a lane each; integer sums do not mind the order.
HWY_INLINE Sums sum_blocks(Sums a, Sums b, Sums c, Sums d) {
  const Int32x16 tag;
  const auto ab = hn::Add(hn::ConcatLowerLower(tag, b, a), hn::ConcatUpperUpper(tag, b, a));
  const auto cd = hn::Add(hn::ConcatLowerLower(tag, d, c), hn::ConcatUpperUpper(tag, d, c));
  // The blocks of ab are a a b b: the result's a c b d.
  return hn::Add(hn::OddEvenBlocks(cd, ab), hn::SwapAdjacentBlocks(hn::OddEvenBlocks(ab, cd)));
}

HWY_INLINE Sums sum_sixteen(const Sums* x) {
  const Int32x16 tag;
  const hn::Repartition<int64_t, Int32x16> wide;
  const auto fold_pairs = [&](Sums p, Sums q) HWY_ATTR {
    const auto wp = hn::BitCast(wide, p), wq = hn::BitCast(wide, q);
    return hn::Add(hn::BitCast(tag, hn::InterleaveLower(wide, wp, wq)),
                   hn::BitCast(tag, hn::InterleaveUpper(wide, wp, wq)));
  };
  const auto lanes02 = fold_pairs(sum_blocks(x[0], x[8], x[4], x[12]), sum_blocks(x[2], x[10], x[6], x[14]));
  const auto lanes13 = fold_pairs(sum_blocks(x[1], x[9], x[5], x[13]), sum_blocks(x[3], x[11], x[7], x[15]));
  return hn::Add(hn::InterleaveEven(tag, lanes02, lanes13), hn::InterleaveOdd(tag, lanes02, lanes13));
}

// dots[i] = sum_k (activations[k] + 128) * rows[i][k] for 16 rows of `width` bytes.
HWY_INLINE void dot_sixteen(const int8_t* HWY_RESTRICT activations, const int8_t* const* rows, size_t width,
                            int32_t* HWY_RESTRICT dots) {
  const hn::FixedTag<int8_t, 64> d8;
  const hn::FixedTag<uint8_t, 64> du8;
  constexpr size_t kStep = 64;
  constexpr size_t kSteps = 4;  // held in registers while 16 rows pass by
  const auto flip = hn::Set(du8, uint8_t{0x80});
  Sums sums[16];
  HWY_UNROLL(16)
  for (size_t i = 0; i < 16; ++i) sums[i] = hn::Zero(Int32x16());
  size_t k = 0;
  for (; k + kSteps * kStep <= width; k += kSteps * kStep) {
    const auto load = [&](size_t u) HWY_ATTR {
      return hn::Xor(hn::BitCast(du8, hn::LoadU(d8, activations + k + u * kStep)), flip);
    };
    const auto a0 = load(0), a1 = load(1), a2 = load(2), a3 = load(3);
    HWY_UNROLL(16)
    for (size_t i = 0; i < 16; ++i) {
      const int8_t* row = rows[i] + k;
      auto sum = hn::SumOfMulQuadAccumulate(Int32x16(), a0, hn::LoadU(d8, row), sums[i]);
      sum = hn::SumOfMulQuadAccumulate(Int32x16(), a1, hn::LoadU(d8, row + kStep), sum);
      sum = hn::SumOfMulQuadAccumulate(Int32x16(), a2, hn::LoadU(d8, row + 2 * kStep), sum);
      sums[i] = hn::SumOfMulQuadAccumulate(Int32x16(), a3, hn::LoadU(d8, row + 3 * kStep), sum);
    }
  }
  for (; k + kStep <= width; k += kStep) {
    const auto a = hn::Xor(hn::BitCast(du8, hn::LoadU(d8, activations + k)), flip);
    HWY_UNROLL(16)
    for (size_t i = 0; i < 16; ++i) {
      sums[i] = hn::SumOfMulQuadAccumulate(Int32x16(), a, hn::LoadU(d8, rows[i] + k), sums[i]);
    }
  }
  if (k < width) {
    const size_t n = width - k;  // the weights behind the end load as 0
    const auto a = hn::Xor(hn::BitCast(du8, hn::LoadN(d8, activations + k, n)), flip);
    HWY_UNROLL(16)
    for (size_t i = 0; i < 16; ++i) {
      sums[i] = hn::SumOfMulQuadAccumulate(Int32x16(), a, hn::LoadN(d8, rows[i] + k, n), sums[i]);
    }
  }
  hn::StoreU(sum_sixteen(sums), Int32x16(), dots);
}

#else

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

HWY_INLINE void dot_sixteen(const int8_t* activations, const int8_t* const* rows, size_t width, int32_t* dots) {
  for (size_t i = 0; i < 16; i += 4) dot_four(activations, rows + i, width, dots + i);
}

#endif  // DRAGOMAN_HAS_BYTE_DOT

#else  // one lane: plain loops

HWY_INLINE void dot_sixteen(const int8_t* activations, const int8_t* const* rows, size_t width, int32_t* dots) {
  for (size_t i = 0; i < 16; ++i) {
    uint32_t sum = 0;  // wraps like the vectors do
    for (size_t k = 0; k < width; ++k) sum += static_cast<uint32_t>(int32_t{activations[k]} * int32_t{rows[i][k]});
    dots[i] = static_cast<int32_t>(sum);
  }
}

#endif  // HWY_MAX_BYTES

}  // namespace dragoman::kernels::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#endif  // include guard per target
