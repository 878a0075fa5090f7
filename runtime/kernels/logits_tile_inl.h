// int8 products of many rows with a chunk of weight rows: the weights are rearranged once, so that a vector holds four
// channels of 16 columns and no sum runs across a vector. Exact int32, so the same numbers as one row at a time.
// Neighbours: logits.cc, for targets with a byte dot product; integer_dot_inl.h for few rows.

#include <cstddef>
#include <cstdint>
#include <cstring>

#include "hwy/highway.h"
#include "kernels/integer_dot_inl.h"

#if defined(DRAGOMAN_KERNELS_LOGITS_TILE_INL_H_) == defined(HWY_TARGET_TOGGLE)
#ifdef DRAGOMAN_KERNELS_LOGITS_TILE_INL_H_
#undef DRAGOMAN_KERNELS_LOGITS_TILE_INL_H_
#else
#define DRAGOMAN_KERNELS_LOGITS_TILE_INL_H_
#endif

#if DRAGOMAN_HAS_BYTE_DOT

HWY_BEFORE_NAMESPACE();
namespace dragoman::kernels::HWY_NAMESPACE {
namespace hn = hwy::HWY_NAMESPACE;

inline constexpr size_t kTileColumns = 16;  // of one vector
inline constexpr size_t kTileRows = 8;      // x 2 vectors are 16 accumulators

// Rows of `width` bytes, a multiple of 16, as bytes above zero: a + 128.
HWY_INLINE void lift_row(const int8_t* HWY_RESTRICT row, size_t width, uint8_t* HWY_RESTRICT to) {
  const hn::FixedTag<uint8_t, 16> d;
  for (size_t k = 0; k < width; k += 16) {
    hn::Store(hn::Xor(hn::LoadU(d, reinterpret_cast<const uint8_t*>(row) + k), hn::Set(d, uint8_t{0x80})), d, to + k);
  }
}

// 16 weight rows -> [width / 4, 16 columns, 4 channels]. A block of a vector takes four of the rows.
HWY_INLINE void pack_columns(const int8_t* const* rows, size_t width, int8_t* HWY_RESTRICT to) {
  const hn::FixedTag<int32_t, kTileColumns> d;
  const hn::FixedTag<int32_t, 4> d4;
  const hn::Repartition<int64_t, decltype(d)> d64;
  for (size_t k = 0; k < width; k += 16) {
    const auto load = [&](size_t row) HWY_ATTR {
      const auto block = [&](size_t i) HWY_ATTR {
        return hn::LoadU(d4, reinterpret_cast<const int32_t*>(rows[row + 4 * i] + k));
      };
      const auto first = hn::ResizeBitCast(d, block(0));
      return hn::InsertBlock<3>(hn::InsertBlock<2>(hn::InsertBlock<1>(first, block(1)), block(2)), block(3));
    };
    const auto r0 = load(0), r1 = load(1), r2 = load(2), r3 = load(3);
    const auto low01 = hn::BitCast(d64, hn::InterleaveLower(d, r0, r1));
    const auto low23 = hn::BitCast(d64, hn::InterleaveLower(d, r2, r3));
    const auto high01 = hn::BitCast(d64, hn::InterleaveUpper(d, r0, r1));
    const auto high23 = hn::BitCast(d64, hn::InterleaveUpper(d, r2, r3));
    auto* out = reinterpret_cast<int32_t*>(to + k * kTileColumns);
    hn::Store(hn::BitCast(d, hn::InterleaveLower(d64, low01, low23)), d, out);
    hn::Store(hn::BitCast(d, hn::InterleaveUpper(d64, low01, low23)), d, out + kTileColumns);
    hn::Store(hn::BitCast(d, hn::InterleaveLower(d64, high01, high23)), d, out + 2 * kTileColumns);
    hn::Store(hn::BitCast(d, hn::InterleaveUpper(d64, high01, high23)), d, out + 3 * kTileColumns);
  }
}

// dots[r * stride + c] = sum_k lifted[r][k] * weight row c [k], for kTileRows rows and two packed groups of columns.
HWY_INLINE void dot_tile(const uint8_t* const* lifted, const int8_t* HWY_RESTRICT packed, size_t width,
                         int32_t* HWY_RESTRICT dots, size_t stride) {
  const hn::FixedTag<int8_t, 64> d8;
  const hn::RebindToUnsigned<decltype(d8)> du8;
  const hn::Repartition<int32_t, decltype(d8)> d32;
  static_assert(hn::MaxLanes(d32) == kTileColumns);
  const int8_t* second = packed + width * kTileColumns;
  hn::Vec<decltype(d32)> sums[kTileRows][2];
  HWY_UNROLL(8)
  for (size_t r = 0; r < kTileRows; ++r) sums[r][0] = sums[r][1] = hn::Zero(d32);
  for (size_t k = 0; k < width; k += 4) {
    const auto w0 = hn::Load(d8, packed + k * kTileColumns);
    const auto w1 = hn::Load(d8, second + k * kTileColumns);
    HWY_UNROLL(8)
    for (size_t r = 0; r < kTileRows; ++r) {
      int32_t four;
      std::memcpy(&four, lifted[r] + k, sizeof four);
      const auto a = hn::BitCast(du8, hn::Set(d32, four));
      sums[r][0] = hn::SumOfMulQuadAccumulate(d32, a, w0, sums[r][0]);
      sums[r][1] = hn::SumOfMulQuadAccumulate(d32, a, w1, sums[r][1]);
    }
  }
  HWY_UNROLL(8)
  for (size_t r = 0; r < kTileRows; ++r) {
    hn::Store(sums[r][0], d32, dots + r * stride);
    hn::Store(sums[r][1], d32, dots + r * stride + kTileColumns);
  }
}

}  // namespace dragoman::kernels::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#endif  // DRAGOMAN_HAS_BYTE_DOT
#endif  // include guard per target
