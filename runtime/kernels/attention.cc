// Self-attention of one segment on Highway: keys transposed per head so that scores vectorise over keys, query rows in
// blocks of four. Neighbours: attention_inl.h, attention_reference.cc.
#include "kernels/attention.h"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "kernels/attention.cc"
#include "base/buffer_size.h"
#include "hwy/foreach_target.h"  // compiles this file once per target
#include "hwy/highway.h"
#include "kernels/attention_inl.h"
#include "kernels/target_inl.h"

#ifndef DRAGOMAN_ATTENTION_ONCE_PER_FILE
#define DRAGOMAN_ATTENTION_ONCE_PER_FILE
namespace dragoman::kernels {
// Query rows that share one pass over the keys and values.
inline constexpr size_t kQueryBlock = 4;
inline constexpr size_t padded_keys(size_t length) { return (length + 15) / 16 * 16; }
}  // namespace dragoman::kernels
#endif

HWY_BEFORE_NAMESPACE();
namespace dragoman::kernels::HWY_NAMESPACE {

DRAGOMAN_DEFINE_TARGET()

// One head of the segment: where its columns are.
struct Head {
  const AttentionSegment* segment;
  const float* queries;
  const float* keys;
  const float* values;
  float* output;
  float* transposed;  // [head_width, padded_keys]
  float* scores;      // [kQueryBlock, padded_keys]
  size_t padded;
  const float* relative_bias;  // [2 * max_distance + 1] of this head or null
};

// keys [length, head_width] -> transposed [head_width, padded]. The padding repeats the last key: it must only be
// readable, its scores are overwritten.
HWY_INLINE void transpose_keys(const Head& h) {
  const size_t last = h.segment->length - 1, width = h.segment->head_width, stride = h.segment->qkv_stride;
  size_t c = 0;
#if HWY_MAX_BYTES >= 16
  const hn::CappedTag<float, 4> d;
  const hn::RepartitionToWide<hn::RebindToUnsigned<decltype(d)>> dw;  // armv7 has no vectors of doubles
  for (size_t j = 0; j < h.padded; j += 4) {
    const float* row0 = h.keys + (j < last ? j : last) * stride;
    const float* row1 = h.keys + (j + 1 < last ? j + 1 : last) * stride;
    const float* row2 = h.keys + (j + 2 < last ? j + 2 : last) * stride;
    const float* row3 = h.keys + (j + 3 < last ? j + 3 : last) * stride;
    for (c = 0; c + 4 <= width; c += 4) {
      const auto r0 = hn::LoadU(d, row0 + c), r1 = hn::LoadU(d, row1 + c);
      const auto r2 = hn::LoadU(d, row2 + c), r3 = hn::LoadU(d, row3 + c);
      const auto a = hn::BitCast(dw, hn::InterleaveLower(d, r0, r1)),
                 b = hn::BitCast(dw, hn::InterleaveLower(d, r2, r3));
      const auto e = hn::BitCast(dw, hn::InterleaveUpper(d, r0, r1)),
                 f = hn::BitCast(dw, hn::InterleaveUpper(d, r2, r3));
      float* to = h.transposed + c * h.padded + j;
      hn::Store(hn::BitCast(d, hn::InterleaveLower(dw, a, b)), d, to);
      hn::Store(hn::BitCast(d, hn::InterleaveUpper(dw, a, b)), d, to + h.padded);
      hn::Store(hn::BitCast(d, hn::InterleaveLower(dw, e, f)), d, to + 2 * h.padded);
      hn::Store(hn::BitCast(d, hn::InterleaveUpper(dw, e, f)), d, to + 3 * h.padded);
    }
  }
#endif
  for (; c < width; ++c) {
    for (size_t j = 0; j < h.padded; ++j) h.transposed[c * h.padded + j] = h.keys[(j < last ? j : last) * stride + c];
  }
}

// Scores of kRows queries against kVectors vectors of keys from `key` on: one fma chain per score, ascending channel.
template <size_t kRows, size_t kVectors>
HWY_INLINE void score_keys(const Head& h, size_t query, size_t key) {
  const F32 d;
  const size_t width = h.segment->head_width, stride = h.segment->qkv_stride;
  const float* q = h.queries + query * stride;
  VF32 sums[kRows][kVectors];
  HWY_UNROLL(16)
  for (size_t r = 0; r < kRows; ++r) {
    HWY_UNROLL(16)
    for (size_t v = 0; v < kVectors; ++v) sums[r][v] = hn::Zero(d);
  }
  for (size_t c = 0; c < width; ++c) {
    VF32 keys[kVectors];
    HWY_UNROLL(16)
    for (size_t v = 0; v < kVectors; ++v) keys[v] = hn::Load(d, h.transposed + c * h.padded + key + v * kVectorLanes);
    HWY_UNROLL(16)
    for (size_t r = 0; r < kRows; ++r) {
      const auto channel = hn::Set(d, q[r * stride + c]);
      HWY_UNROLL(16)
      for (size_t v = 0; v < kVectors; ++v) sums[r][v] = hn::MulAdd(channel, keys[v], sums[r][v]);
    }
  }
  HWY_UNROLL(16)
  for (size_t r = 0; r < kRows; ++r) {
    HWY_UNROLL(16)
    for (size_t v = 0; v < kVectors; ++v) hn::Store(sums[r][v], d, h.scores + r * h.padded + key + v * kVectorLanes);
  }
}

// scores[j] += bias over j < count.
HWY_INLINE void add_to_scores(const float* bias, size_t count, float* scores) {
  const F32 d;
  size_t j = 0;
  for (; j + kVectorLanes <= count; j += kVectorLanes) {
    hn::StoreU(hn::Add(hn::LoadU(d, scores + j), hn::LoadU(d, bias + j)), d, scores + j);
  }
  for (; j < count; ++j) scores[j] += bias[j];
}

// Keys farther than max_distance before or behind the query share the ends of the table.
HWY_INLINE void add_relative_bias(const Head& h, size_t query, float* scores) {
  const size_t length = h.segment->length, farthest = h.segment->max_distance;
  const float* bias = h.relative_bias;
  const size_t begin = query > farthest ? query - farthest : 0;
  const size_t end = length - query > farthest ? query + farthest + 1 : length;
  for (size_t j = 0; j < begin; ++j) scores[j] += bias[0];
  add_to_scores(bias + (begin + farthest - query), end - begin, scores + begin);
  for (size_t j = end; j < length; ++j) scores[j] += bias[2 * farthest];
}

// Adds the biases of keys and distances and closes the padding with -infinity.
HWY_INLINE void finish_scores(const Head& h, size_t query, float* scores) {
  const size_t length = h.segment->length;
  const float* bias = h.segment->key_bias;
  if (bias != nullptr) add_to_scores(bias, length, scores);
  if (h.relative_bias != nullptr) add_relative_bias(h, query, scores);
  close_padding(scores, length, h.padded);
}

template <size_t kRows>
HWY_INLINE void attend_rows(const Head& h, size_t query) {
  constexpr size_t kVectors = 2;
  size_t key = 0;
  for (; key + kVectors * kVectorLanes <= h.padded; key += kVectors * kVectorLanes) {
    score_keys<kRows, kVectors>(h, query, key);
  }
  for (; key < h.padded; key += kVectorLanes) score_keys<kRows, 1>(h, query, key);
  float inverses[kRows];
  for (size_t r = 0; r < kRows; ++r) finish_scores(h, query + r, h.scores + r * h.padded);
  exponentiate_scores<kRows>(h.scores, h.padded, inverses);
  const AttentionSegment& s = *h.segment;
  const ValueRows rows = {
      h.values,       s.qkv_stride, s.length, h.scores, h.padded, inverses, h.output + query * s.output_stride,
      s.output_stride};
  weigh_values<kRows, 2>(rows, s.head_width);
}

void attention_segment_body(const AttentionSegment& s, float* scratch) {
  if (s.length == 0) return;
  const size_t width = s.num_heads * s.head_width;
  const size_t padded = padded_keys(s.length);
  for (size_t i = s.head_begin; i < s.head_end; ++i) {
    const float* queries = s.qkv + i * s.head_width;
    const Head h = {&s,
                    queries,
                    queries + width,
                    queries + 2 * width,
                    s.output + i * s.head_width,
                    scratch,
                    scratch + s.head_width * padded,
                    padded,
                    s.relative_bias == nullptr ? nullptr : s.relative_bias + i * (2 * s.max_distance + 1)};
    transpose_keys(h);
    if (s.length < kQueryBlock) {
      for (size_t query = 0; query < s.length; ++query) attend_rows<1>(h, query);
      continue;
    }
    // The last block starts early enough to be a whole one; rows computed twice get the same bits.
    for (size_t query = 0; query < s.length; query += kQueryBlock) {
      attend_rows<kQueryBlock>(h, query + kQueryBlock <= s.length ? query : s.length - kQueryBlock);
    }
  }
}

}  // namespace dragoman::kernels::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace dragoman::kernels {

DRAGOMAN_EXPORT_TARGET(attention)
HWY_EXPORT(attention_segment_body);

size_t attention_scratch_bytes(size_t max_length, size_t head_width) {
  return saturating_product(padded_keys(max_length), head_width + kQueryBlock, sizeof(float));
}

void attention_segment(const AttentionSegment& segment, float* scratch) {
  HWY_DYNAMIC_DISPATCH(attention_segment_body)(segment, scratch);
}

}  // namespace dragoman::kernels
#endif  // HWY_ONCE
