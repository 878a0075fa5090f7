// Sixteen columns of an int4 row as floats, compiled once per target.
// Neighbours: embed.cc, logits_inl.h; Int4Row::value() is the same in plain C++.

#include <cstddef>
#include <cstdint>

#include "hwy/highway.h"
#include "kernels/int4.h"
#include "kernels/lanes_inl.h"

#if defined(DRAGOMAN_KERNELS_INT4_INL_H_) == defined(HWY_TARGET_TOGGLE)
#ifdef DRAGOMAN_KERNELS_INT4_INL_H_
#undef DRAGOMAN_KERNELS_INT4_INL_H_
#else
#define DRAGOMAN_KERNELS_INT4_INL_H_
#endif

HWY_BEFORE_NAMESPACE();
namespace dragoman::kernels::HWY_NAMESPACE {

// Sixteen elements, one a byte, plus 8.
HWY_INLINE void unpack_int4(const uint8_t* HWY_RESTRICT from, uint8_t* HWY_RESTRICT to) {
#if HWY_MAX_BYTES >= 16
  const hn::CappedTag<uint8_t, 8> packed;
  const hn::Rebind<uint16_t, decltype(packed)> d;
  const auto bytes = hn::PromoteTo(d, hn::LoadU(packed, from));
  const auto low = hn::And(bytes, hn::Set(d, 0x0F));
  const auto high = hn::ShiftLeft<4>(hn::And(bytes, hn::Set(d, 0xF0)));
  const auto both = hn::Xor(hn::Or(low, high), hn::Set(d, 0x0808));
  const hn::Repartition<uint8_t, decltype(d)> d8;
  hn::StoreU(hn::BitCast(d8, both), d8, to);
#else
  for (size_t i = 0; i < 16; ++i) to[i] = static_cast<uint8_t>((from[i / 2] >> (i % 2 * 4) & 15) ^ 8);
#endif
}

// A row for dot_quad(); `i` is a multiple of 16 and all 16 columns are there, as int4 widths are multiples of 32.
struct Int4Loader {
  Int4Row row;
  HWY_INLINE Lanes operator()(size_t i, size_t) const {
    HWY_ALIGN uint8_t bytes[kVirtualLanes];
    unpack_int4(row.elements + i / 2, bytes);
    const hn::Rebind<uint8_t, F32> d8;
    const auto scale = hn::Set(F32(), float_from_bfloat16(row.scales[i / kInt4Block]));
    Lanes x;
    HWY_UNROLL(16)
    for (size_t p = 0; p < kParts; ++p) {
      const auto element = hn::PromoteTo(I32(), hn::LoadU(d8, bytes + p * kVectorLanes));
      x.part[p] = hn::Mul(hn::ConvertTo(F32(), hn::Sub(element, hn::Set(I32(), 8))), scale);
    }
    return x;
  }
};

}  // namespace dragoman::kernels::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#endif  // include guard per target
