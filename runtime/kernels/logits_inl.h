// Logits of a few columns of one row, for every combination of activation and weight type; compiled once per target.
// Neighbours: logits.cc consumes them; integer_dot_inl.h and lanes_inl.h do the sums.

#include <cstddef>
#include <cstdint>
#include <limits>

#include "hwy/cache_control.h"
#include "hwy/highway.h"
#include "kernels/half_inl.h"
#include "kernels/int4_inl.h"
#include "kernels/integer_dot_inl.h"
#include "kernels/lanes_inl.h"
#include "kernels/logits.h"

#if defined(DRAGOMAN_KERNELS_LOGITS_INL_H_) == defined(HWY_TARGET_TOGGLE)
#ifdef DRAGOMAN_KERNELS_LOGITS_INL_H_
#undef DRAGOMAN_KERNELS_LOGITS_INL_H_
#else
#define DRAGOMAN_KERNELS_LOGITS_INL_H_
#endif

HWY_BEFORE_NAMESPACE();
namespace dragoman::kernels::HWY_NAMESPACE {

// Sixteen columns: their ids, and whether these are consecutive (so that loads replace gathers).
struct ColumnGroup {
  const int32_t* ids;
  bool consecutive;
};

template <class D, class T>
HWY_INLINE hn::Vec<D> load_by_id(D d, const T* table, const ColumnGroup& group, size_t at) {
  if (group.consecutive) return hn::LoadU(d, table + group.ids[at]);
#if HWY_TARGET == HWY_AVX2
  // qemu 7.2, which the tests run, gets AVX2's gathers wrong when the index is in register 4; elsewhere they are slow.
  const hn::Half<D> half;
  const int32_t* ids = group.ids + at;
  return hn::Combine(d, hn::Dup128VecFromValues(half, table[ids[4]], table[ids[5]], table[ids[6]], table[ids[7]]),
                     hn::Dup128VecFromValues(half, table[ids[0]], table[ids[1]], table[ids[2]], table[ids[3]]));
#else
  return hn::GatherIndex(d, table, hn::LoadU(I32(), group.ids + at));
#endif
}

// int8 weights converted to floats, for dot_quad.
struct Int8Loader {
  const int8_t* w;
  HWY_INLINE Lanes operator()(size_t i, size_t n) const {
    const hn::Rebind<int8_t, F32> d8;
    Lanes x;
    HWY_UNROLL(16)
    for (size_t p = 0; p < kParts; ++p) {
      const size_t begin = p * kVectorLanes;
      const auto bytes = n >= begin + kVectorLanes ? hn::LoadU(d8, w + i + begin)
                         : n > begin               ? hn::LoadN(d8, w + i + begin, n - begin)
                                                   : hn::Zero(d8);
      x.part[p] = hn::ConvertTo(F32(), hn::PromoteTo(I32(), bytes));
    }
    return x;
  }
};

// Halves converted to floats, likewise.
struct HalfLoader {
  const uint16_t* w;
  HWY_INLINE Lanes operator()(size_t i, size_t n) const {
    Lanes x;
    HWY_UNROLL(16)
    for (size_t p = 0; p < kParts; ++p) {
      const size_t begin = p * kVectorLanes;
      x.part[p] = n >= begin + kVectorLanes ? floats_from_halves(hn::LoadU(HalfBits(), w + i + begin))
                  : n > begin               ? floats_from_halves(hn::LoadN(HalfBits(), w + i + begin, n - begin))
                                            : hn::Zero(F32());
    }
    return x;
  }
};

// Weight rows come from memory in no order that hardware foresees. Big out-of-order cores hide that themselves (there
// asking early costs 1.4 of 7.7 us for 1100 rows of 256 and gains nothing even with cold caches); small ones do not.
inline constexpr bool kPrefetchRows = HWY_ARCH_X86 == 0;

// Asks for the rows of the next group.
HWY_INLINE void prefetch_rows(const LogitsWeights& weights, const int32_t* ids, size_t count) {
  constexpr size_t kLine = 64, kMaxLines = 8;
  const char* table = reinterpret_cast<const char*>(weights.f32);
  size_t row_bytes = weights.width * sizeof(float);
  if (weights.i8 != nullptr) table = reinterpret_cast<const char*>(weights.i8), row_bytes = weights.width;
  if (weights.f16 != nullptr) table = reinterpret_cast<const char*>(weights.f16), row_bytes = weights.width * 2;
  if (weights.i4.elements != nullptr) {
    table = reinterpret_cast<const char*>(weights.i4.elements), row_bytes = weights.width / 2;
  }
  const size_t bytes = row_bytes < kMaxLines * kLine ? row_bytes : kMaxLines * kLine;
  for (size_t i = 0; i < count; ++i) {
    const char* row = table + static_cast<size_t>(ids[i]) * row_bytes;
    for (size_t b = 0; b < bytes; b += kLine) hwy::Prefetch(row + b);
  }
}

// Sixteen logits from their integer sums (see kActivationOffset): fma(float(dot - zero_point * row_sum) * activation
// scale, scale, bias).
HWY_INLINE void scale_integers(const LogitsWeights& weights, const LogitsRow& row, const ColumnGroup& group,
                               const int32_t* dots, float* logits) {
  const F32 d;
  const auto offset = hn::Set(I32(), row.quantization.zero_point + kActivationOffset);
  const auto activation_scale = hn::Set(d, row.quantization.scale);
  for (size_t c = 0; c < kVirtualLanes; c += kVectorLanes) {
    const auto row_sum = load_by_id(I32(), weights.row_sums, group, c);
    const auto exact = hn::Sub(hn::Load(I32(), dots + c), hn::Mul(row_sum, offset));
    const auto scaled = hn::Mul(hn::ConvertTo(d, exact), activation_scale);
    const auto bias = weights.bias != nullptr ? load_by_id(d, weights.bias, group, c) : hn::Zero(d);
    hn::StoreU(hn::MulAdd(scaled, load_by_id(d, weights.scales, group, c), bias), d, logits + c);
  }
}

// int8 x int8.
HWY_INLINE void integer_logits(const LogitsWeights& weights, const LogitsRow& row, const ColumnGroup& group,
                               float* logits) {
  HWY_ALIGN int32_t dots[kVirtualLanes];
  const int8_t* rows[kVirtualLanes];
  for (size_t i = 0; i < kVirtualLanes; ++i) {
    rows[i] = weights.i8 + static_cast<size_t>(group.ids[i]) * weights.width;
  }
  dot_sixteen(row.i8, rows, weights.width, dots);
  scale_integers(weights, row, group, dots, logits);
}

// The partial sums of activation . weight row `id`, integers not yet scaled.
HWY_INLINE Quad float_dot(const LogitsWeights& weights, const float* activation, size_t id) {
  const size_t width = weights.width;
  if (weights.i8 != nullptr) return dot_quad(activation, Int8Loader{weights.i8 + id * width}, width);
  if (weights.f16 != nullptr) return dot_quad(activation, HalfLoader{weights.f16 + id * width}, width);
  if (weights.i4.elements != nullptr) return dot_quad(activation, Int4Loader{weights.i4.row(id, width)}, width);
  return dot_quad(activation, FloatLoader{weights.f32 + id * width}, width);
}

// f32 activations with any kind of weights.
HWY_INLINE void float_logits(const LogitsWeights& weights, const LogitsRow& row, const ColumnGroup& group,
                             float* logits) {
  for (size_t c = 0; c < kVirtualLanes; c += 4) {
    Quad quads[4];
    for (size_t i = 0; i < 4; ++i) quads[i] = float_dot(weights, row.f32, static_cast<size_t>(group.ids[c + i]));
    store_quad(sum_quads(quads[0], quads[1], quads[2], quads[3]), logits + c);
  }
  const F32 d;
  for (size_t c = 0; c < kVirtualLanes; c += kVectorLanes) {
    const auto bias = weights.bias != nullptr ? load_by_id(d, weights.bias, group, c) : hn::Zero(d);
    const auto dot = hn::LoadU(d, logits + c);
    const auto y =
        weights.i8 != nullptr ? hn::MulAdd(dot, load_by_id(d, weights.scales, group, c), bias) : hn::Add(dot, bias);
    hn::StoreU(y, d, logits + c);
  }
}

// Sixteen logits, of which the first `count` are columns: -infinity for the others and for NaN.
HWY_INLINE void close_logits(size_t count, float* logits) {
  const F32 d;
  for (size_t i = 0; i < kVirtualLanes; i += kVectorLanes) {
    const auto x = hn::LoadU(d, logits + i);
    hn::StoreU(hn::IfThenElse(hn::Eq(x, x), x, hn::Neg(hn::Inf(d))), d, logits + i);
  }
  for (size_t i = count; i < kVirtualLanes; ++i) logits[i] = -std::numeric_limits<float>::infinity();
}

// Logits of the columns [begin, begin + count) of rows with the same allowed ids into logits [num_rows, stride], each
// [count rounded up to 16]; -infinity behind the end and for NaN.
HWY_INLINE void column_logits(const LogitsWeights& weights, const LogitsRow* rows, size_t num_rows, size_t begin,
                              size_t count, float* logits, size_t stride) {
  const int32_t* allowed = rows[0].allowed;
  const size_t columns = allowed != nullptr ? rows[0].num_allowed : weights.vocabulary;
  HWY_ALIGN int32_t local[kVirtualLanes];
  for (size_t c = 0; c < count; c += kVirtualLanes) {
    const size_t here = count - c < kVirtualLanes ? count - c : kVirtualLanes;
    ColumnGroup group = {local, allowed == nullptr && here == kVirtualLanes};
    if (allowed != nullptr && here == kVirtualLanes) {
      group.ids = allowed + begin + c;
    } else {
      for (size_t i = 0; i < kVirtualLanes; ++i) {
        const size_t column = begin + c + (i < here ? i : here - 1);
        local[i] = allowed != nullptr ? allowed[column] : static_cast<int32_t>(column);
      }
    }
    if (kPrefetchRows && allowed != nullptr && begin + c + kVirtualLanes < columns) {
      const size_t next = begin + c + kVirtualLanes;
      prefetch_rows(weights, allowed + next, columns - next < kVirtualLanes ? columns - next : kVirtualLanes);
    }
    for (size_t r = 0; r < num_rows; ++r) {
      float* to = logits + r * stride + c;
      if (rows[r].i8 != nullptr) {
        integer_logits(weights, rows[r], group, to);
      } else {
        float_logits(weights, rows[r], group, to);
      }
      close_logits(here, to);
    }
  }
}

}  // namespace dragoman::kernels::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#endif  // include guard per target
