// Attention of one decoder row over cached rows on Highway: as cross_attention.cc, over rows that lie anywhere and are
// converted as they are read. Neighbours: attention_inl.h, half_inl.h, cached_attention_reference.cc.
#include "kernels/cached_attention.h"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "kernels/cached_attention.cc"
#include "base/buffer_size.h"
#include "hwy/foreach_target.h"  // compiles this file once per target
#include "hwy/highway.h"
#include "kernels/attention_inl.h"
#include "kernels/half_inl.h"
#include "kernels/target_inl.h"

#ifndef DRAGOMAN_CACHED_ATTENTION_ONCE_PER_FILE
#define DRAGOMAN_CACHED_ATTENTION_ONCE_PER_FILE
namespace dragoman::kernels {
inline constexpr size_t padded_positions(size_t length) { return (length + 15) / 16 * 16; }

// One call's scratch.
struct CachedScratch {
  CachedScratch(float* block, size_t length, size_t heads)
      : padded(padded_positions(length)),
        scores(block),
        key_scales(scores + heads * padded),
        value_scales(key_scales + padded),
        inverses(value_scales + padded),
        rows(reinterpret_cast<const std::byte**>(inverses + padded_positions(heads))) {}
  static size_t bytes(size_t length, size_t heads) {
    const size_t padded = padded_positions(length);
    const size_t floats = saturating_sum(saturating_product(heads + 2, padded), padded_positions(heads));
    return saturating_sum(saturating_product(floats, sizeof(float)), saturating_product(padded, sizeof(std::byte*)));
  }

  size_t padded;
  float* scores;           // [heads, padded], later weights
  float* key_scales;       // [padded], int8 only, likewise
  float* value_scales;     // [padded]
  float* inverses;         // [heads] 1 / sum
  const std::byte** rows;  // [padded] the stored rows; behind the end the last one again
};
}  // namespace dragoman::kernels
#endif

HWY_BEFORE_NAMESPACE();
namespace dragoman::kernels::HWY_NAMESPACE {

DRAGOMAN_DEFINE_TARGET()

// Elements [i, i + kVectorLanes) as floats.
template <CacheType kType>
HWY_INLINE VF32 load_stored(const std::byte* from, size_t i) {
  if constexpr (kType == CacheType::kF32) {
    return hn::LoadU(F32(), reinterpret_cast<const float*>(from) + i);
  } else if constexpr (kType == CacheType::kF16) {
    return floats_from_halves(hn::LoadU(HalfBits(), reinterpret_cast<const uint16_t*>(from) + i));
  } else {
    const hn::Rebind<int8_t, F32> d;
    return hn::ConvertTo(F32(), hn::PromoteTo(I32(), hn::LoadU(d, reinterpret_cast<const int8_t*>(from) + i)));
  }
}

// The first n < kVectorLanes of them; the other lanes are 0.
template <CacheType kType>
HWY_INLINE VF32 load_stored_n(const std::byte* from, size_t i, size_t n) {
  if constexpr (kType == CacheType::kF32) {
    return hn::LoadN(F32(), reinterpret_cast<const float*>(from) + i, n);
  } else if constexpr (kType == CacheType::kF16) {
    return floats_from_halves(hn::LoadN(HalfBits(), reinterpret_cast<const uint16_t*>(from) + i, n));
  } else {
    const hn::Rebind<int8_t, F32> d;
    return hn::ConvertTo(F32(), hn::PromoteTo(I32(), hn::LoadN(d, reinterpret_cast<const int8_t*>(from) + i, n)));
  }
}

// A head's key for dot_quad().
template <CacheType kType>
struct KeyLoader {
  const std::byte* key;
  HWY_INLINE Lanes operator()(size_t i, size_t n) const {
    Lanes x;
    HWY_UNROLL(16)
    for (size_t p = 0; p < kParts; ++p) {
      const size_t begin = p * kVectorLanes;
      if (n >= begin + kVectorLanes) {
        x.part[p] = load_stored<kType>(key, i + begin);
      } else {
        x.part[p] = n > begin ? load_stored_n<kType>(key, i + begin, n - begin) : hn::Zero(F32());
      }
    }
    return x;
  }
};

// query . key over kBlocks blocks of 16 channels, the bits of dot_quad().
template <CacheType kType, size_t kBlocks>
HWY_INLINE Quad dot_stored(const Lanes (&query)[kBlocks], const std::byte* key) {
  static_assert(kBlocks == 2 || kBlocks == 4);
  const KeyLoader<kType> load{key};
  Lanes product[kBlocks];
  HWY_UNROLL(4)
  for (size_t b = 0; b < kBlocks; ++b) product[b] = multiply(query[b], load(b * kVirtualLanes, kVirtualLanes));
  if constexpr (kBlocks == 2) {
    return fold(add(product[0], product[1]));
  } else {
    return fold(add(add(product[0], product[1]), add(product[2], product[3])));
  }
}

// Bytes from a row's keys to those that head h reads.
template <CacheType kType>
HWY_INLINE size_t head_offset(const CachedAttentionRow& row, size_t head) {
  return head / (row.num_heads / row.key_value_heads) * row.head_width * cache_element_bytes(kType);
}

// scores[head * padded + j] = query . stored key. Positions outside, heads inside: a row is read front to back once.
template <CacheType kType, size_t kBlocks>
HWY_INLINE void score_heads(const CachedAttentionRow& row, const CachedScratch& s) {
  for (size_t j = 0; j < row.length; j += 4) {
    const std::byte* const* keys = s.rows + j;
    for (size_t h = 0; h < row.num_heads; ++h) {
      const float* query = row.query + h * kBlocks * kVirtualLanes;
      const size_t offset = head_offset<kType>(row, h);
      Lanes q[kBlocks];
      HWY_UNROLL(4)
      for (size_t b = 0; b < kBlocks; ++b) q[b] = load_lanes(query + b * kVirtualLanes);
      store_quad(sum_quads(dot_stored<kType>(q, keys[0] + offset), dot_stored<kType>(q, keys[1] + offset),
                           dot_stored<kType>(q, keys[2] + offset), dot_stored<kType>(q, keys[3] + offset)),
                 s.scores + h * s.padded + j);
    }
  }
}

// The same for any head width.
template <CacheType kType>
HWY_INLINE void score_any_heads(const CachedAttentionRow& row, const CachedScratch& s) {
  for (size_t j = 0; j < row.length; ++j) {
    for (size_t h = 0; h < row.num_heads; ++h) {
      const KeyLoader<kType> key{s.rows[j] + head_offset<kType>(row, h)};
      s.scores[h * s.padded + j] = sum_quad(dot_quad(row.query + h * row.head_width, key, row.head_width));
    }
  }
}

// x[j] *= factors[j] over whole vectors.
HWY_INLINE void scale_scores(float* x, const float* factors, size_t padded) {
  const F32 d;
  for (size_t j = 0; j < padded; j += kVectorLanes) {
    hn::Store(hn::Mul(hn::Load(d, x + j), hn::Load(d, factors + j)), d, x + j);
  }
}

// Adds a head's relative bias: far positions share its first column, the last ones have one each.
HWY_INLINE void add_relative_bias(const CachedAttentionRow& row, size_t head, float* scores) {
  const F32 d;
  const size_t columns = row.relative_columns, length = row.length;
  const float* bias = row.relative_bias + head * columns;
  const size_t far = length > columns ? length - columns : 0;
  for (size_t j = 0; j < far; ++j) scores[j] += bias[0];
  const float* near = bias + (far + columns - length);
  size_t j = far;
  for (; j + kVectorLanes <= length; j += kVectorLanes) {
    hn::StoreU(hn::Add(hn::LoadU(d, scores + j), hn::LoadU(d, near + (j - far))), d, scores + j);
  }
  for (; j < length; ++j) scores[j] += near[j - far];
}

// kVectors * kVectorLanes output columns of kHeads heads from `head` on, from `column` of each on, in one pass.
template <CacheType kType, size_t kHeads, size_t kVectors>
HWY_INLINE void weigh_stored(const CachedAttentionRow& row, const CachedScratch& s, size_t head, size_t column) {
  const F32 d;
  const size_t width = row.key_value_heads * row.head_width;
  const float* weights = s.scores + head * s.padded;
  size_t offsets[kHeads];
  for (size_t h = 0; h < kHeads; ++h) {
    offsets[h] = head_offset<kType>(row, head + h) + (width + column) * cache_element_bytes(kType);
  }
  VF32 sums[kHeads * kVectors];
  HWY_UNROLL(16)
  for (size_t i = 0; i < kHeads * kVectors; ++i) sums[i] = hn::Zero(d);
  for (size_t j = 0; j < row.length; ++j) {
    HWY_UNROLL(16)
    for (size_t i = 0; i < kHeads * kVectors; ++i) {
      const auto w = hn::Set(d, weights[i / kVectors * s.padded + j]);
      const auto value = load_stored<kType>(s.rows[j] + offsets[i / kVectors], i % kVectors * kVectorLanes);
      sums[i] = hn::MulAdd(w, value, sums[i]);
    }
  }
  HWY_UNROLL(16)
  for (size_t i = 0; i < kHeads * kVectors; ++i) {
    const size_t h = head + i / kVectors;
    float* to = row.output + h * row.head_width + column + i % kVectors * kVectorLanes;
    hn::StoreU(hn::Mul(sums[i], hn::Set(d, s.inverses[h])), d, to);
  }
}

// The last `columns` < kVectorLanes columns of a head.
template <CacheType kType>
HWY_INLINE void weigh_stored_tail(const CachedAttentionRow& row, const CachedScratch& s, size_t head, size_t column) {
  const F32 d;
  const size_t columns = row.head_width - column;
  const size_t width = row.key_value_heads * row.head_width;
  const size_t offset = head_offset<kType>(row, head) + (width + column) * cache_element_bytes(kType);
  auto sum = hn::Zero(d);
  for (size_t j = 0; j < row.length; ++j) {
    const auto value = load_stored_n<kType>(s.rows[j] + offset, 0, columns);
    sum = hn::MulAdd(hn::Set(d, s.scores[head * s.padded + j]), value, sum);
  }
  hn::StoreN(hn::Mul(sum, hn::Set(d, s.inverses[head])), d, row.output + head * row.head_width + column, columns);
}

template <CacheType kType>
HWY_INLINE void weigh_any_heads(const CachedAttentionRow& row, const CachedScratch& s) {
  for (size_t h = 0; h < row.num_heads; ++h) {
    size_t c = 0;
    for (; c + 4 * kVectorLanes <= row.head_width; c += 4 * kVectorLanes) weigh_stored<kType, 1, 4>(row, s, h, c);
    for (; c + kVectorLanes <= row.head_width; c += kVectorLanes) weigh_stored<kType, 1, 1>(row, s, h, c);
    if (c < row.head_width) weigh_stored_tail<kType>(row, s, h, c);
  }
}

// All heads of kWidth channels, as many at once as the register file holds.
template <CacheType kType, size_t kWidth>
HWY_INLINE void weigh_heads(const CachedAttentionRow& row, const CachedScratch& s) {
  constexpr size_t kVectors = kWidth / kVectorLanes;
  constexpr size_t kSums = HWY_MAX_BYTES >= 64 ? 16 : 8;  // accumulators; AVX-512 has 32 registers
  if constexpr (kVectors <= kSums) {
    constexpr size_t kHeads = kSums / kVectors;
    size_t h = 0;
    for (; h + kHeads <= row.num_heads; h += kHeads) weigh_stored<kType, kHeads, kVectors>(row, s, h, 0);
    for (; h < row.num_heads; ++h) weigh_stored<kType, 1, kVectors>(row, s, h, 0);
  } else {
    weigh_any_heads<kType>(row, s);
  }
}

// Where the rows are and, for int8, their scales.
template <CacheType kType>
HWY_INLINE void find_rows(const CachedAttentionRow& row, const CachedScratch& s) {
  for (size_t j = 0; j < s.padded; ++j) {
    const size_t position = j < row.length ? j : row.length - 1;
    const auto slot = static_cast<size_t>(row.ancestors[position]);
    s.rows[j] = row.cache + (position * row.slots + slot) * row.row_bytes;
    if constexpr (kType == CacheType::kI8) {
      const size_t offset = cache_scales_offset(row.key_value_heads * row.head_width);
      const auto* scales = reinterpret_cast<const float*>(s.rows[j] + offset);
      s.key_scales[j] = scales[0];
      s.value_scales[j] = scales[1];
    }
  }
}

template <CacheType kType>
HWY_INLINE void attend_stored(const CachedAttentionRow& row, const CachedScratch& s) {
  find_rows<kType>(row, s);
  switch (row.head_width) {
    case 32: score_heads<kType, 2>(row, s); break;
    case 64: score_heads<kType, 4>(row, s); break;
    default: score_any_heads<kType>(row, s); break;
  }
  const size_t heads = row.num_heads, padded = s.padded;
  for (size_t h = 0; h < heads; ++h) {
    float* scores = s.scores + h * padded;
    if (kType == CacheType::kI8) scale_scores(scores, s.key_scales, padded);
    if (row.relative_bias != nullptr) add_relative_bias(row, h, scores);
    close_padding(scores, row.length, padded);
  }
  size_t h = 0;
  for (; h + 4 <= heads; h += 4) exponentiate_scores<4>(s.scores + h * padded, padded, s.inverses + h);
  for (; h < heads; ++h) exponentiate_scores<1>(s.scores + h * padded, padded, s.inverses + h);
  for (h = 0; h < heads && kType == CacheType::kI8; ++h) scale_scores(s.scores + h * padded, s.value_scales, padded);
  switch (row.head_width) {
    case 32: weigh_heads<kType, 32>(row, s); break;
    case 64: weigh_heads<kType, 64>(row, s); break;
    default: weigh_any_heads<kType>(row, s); break;
  }
}

void cached_attention_body(const CachedAttentionRow& row, float* scratch) {
  if (row.length == 0) {
    for (size_t i = 0; i < row.num_heads * row.head_width; ++i) row.output[i] = 0.0f;
    return;
  }
  const CachedScratch s(scratch, row.length, row.num_heads);
  switch (row.type) {
    case CacheType::kF32: return attend_stored<CacheType::kF32>(row, s);
    case CacheType::kF16: return attend_stored<CacheType::kF16>(row, s);
    case CacheType::kI8: return attend_stored<CacheType::kI8>(row, s);
  }
}

}  // namespace dragoman::kernels::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace dragoman::kernels {

DRAGOMAN_EXPORT_TARGET(cached_attention)
HWY_EXPORT(cached_attention_body);

size_t cached_attention_scratch_bytes(size_t max_length, size_t num_heads) {
  return CachedScratch::bytes(max_length, num_heads);
}

void cached_attention(const CachedAttentionRow& row, float* scratch) {
  HWY_DYNAMIC_DISPATCH(cached_attention_body)(row, scratch);
}

}  // namespace dragoman::kernels
#endif  // HWY_ONCE
