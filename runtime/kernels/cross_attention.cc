// Cross-attention of one decoder row on Highway: dot products over channels, four keys reduced together.
// Neighbours: attention_inl.h, cross_attention_reference.cc.
#include "kernels/cross_attention.h"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "kernels/cross_attention.cc"
#include "base/buffer_size.h"
#include "hwy/foreach_target.h"  // compiles this file once per target
#include "hwy/highway.h"
#include "kernels/attention_inl.h"
#include "kernels/target_inl.h"

HWY_BEFORE_NAMESPACE();
namespace dragoman::kernels::HWY_NAMESPACE {

DRAGOMAN_DEFINE_TARGET()

// query . key over kBlocks blocks of 16 channels. Up to four blocks have an accumulator each.
template <size_t kBlocks>
HWY_INLINE Quad dot_blocks(const Lanes (&query)[kBlocks], const float* key) {
  static_assert(kBlocks == 2 || kBlocks == 4);
  Lanes product[kBlocks];
  HWY_UNROLL(4)
  for (size_t b = 0; b < kBlocks; ++b) product[b] = multiply(query[b], load_lanes(key + b * kVirtualLanes));
  if constexpr (kBlocks == 2) {
    return fold(add(product[0], product[1]));
  } else {
    return fold(add(add(product[0], product[1]), add(product[2], product[3])));
  }
}

// What the softmaxes left: weights [num_heads, padded] unnormalized, and what makes each row sum to one.
struct Softmaxes {
  size_t padded;
  const float* inverses;
};

// Outputs of all heads of any width, one head at a time.
HWY_INLINE void weigh_any_heads(const CrossAttentionRow& row, const float* weights, const Softmaxes& softmaxes) {
  for (size_t h = 0; h < row.num_heads; ++h) {
    const size_t column = h * row.head_width;
    const ValueRows values = {
        row.values + column, row.stride, row.source_length, weights + h * softmaxes.padded, 0, softmaxes.inverses + h,
        row.output + column, 0};
    weigh_values<1, 4>(values, row.head_width);
  }
}

// Scores of every head, kBlocks * 16 channels each: scores[head * padded + j] = query . key_j. Keys outside, heads
// inside: a row is read front to back once (rows lie whole pages apart, so a head at a time would miss the cache every
// time).
template <size_t kBlocks>
HWY_INLINE void score_heads(const CrossAttentionRow& row, size_t padded, float* scores) {
  constexpr size_t kWidth = kBlocks * kVirtualLanes;
  const size_t last = row.source_length - 1;
  for (size_t j = 0; j < row.source_length; j += 4) {
    // Behind the last key it is repeated; close_padding() overwrites those scores.
    const float* key0 = row.keys + j * row.stride;
    const float* key1 = row.keys + (j + 1 < last ? j + 1 : last) * row.stride;
    const float* key2 = row.keys + (j + 2 < last ? j + 2 : last) * row.stride;
    const float* key3 = row.keys + (j + 3 < last ? j + 3 : last) * row.stride;
    for (size_t h = 0; h < row.num_heads; ++h) {
      const size_t column = h * kWidth;
      Lanes q[kBlocks];
      HWY_UNROLL(4)
      for (size_t b = 0; b < kBlocks; ++b) q[b] = load_lanes(row.query + column + b * kVirtualLanes);
      store_quad(sum_quads(dot_blocks(q, key0 + column), dot_blocks(q, key1 + column), dot_blocks(q, key2 + column),
                           dot_blocks(q, key3 + column)),
                 scores + h * padded + j);
    }
  }
}

// The same for any head width.
HWY_INLINE void score_any_heads(const CrossAttentionRow& row, size_t padded, float* scores) {
  for (size_t j = 0; j < row.source_length; ++j) {
    for (size_t h = 0; h < row.num_heads; ++h) {
      const size_t column = h * row.head_width;
      scores[h * padded + j] = dot_row(row.query + column, row.keys + j * row.stride + column, row.head_width);
    }
  }
}

// Outputs of kHeads heads of kVectors vectors each, from `head` on, in one pass over the value rows.
template <size_t kHeads, size_t kVectors>
HWY_INLINE void weigh_heads(const CrossAttentionRow& row, size_t head, const float* weights,
                            const Softmaxes& softmaxes) {
  const F32 d;
  const size_t column = head * row.head_width;
  const float* weight = weights + head * softmaxes.padded;
  VF32 sums[kHeads * kVectors];
  HWY_UNROLL(16)
  for (size_t i = 0; i < kHeads * kVectors; ++i) sums[i] = hn::Zero(d);
  const float* value = row.values + column;
  for (size_t j = 0; j < row.source_length; ++j, value += row.stride) {
    HWY_UNROLL(16)
    for (size_t i = 0; i < kHeads * kVectors; ++i) {
      const auto w = hn::Set(d, weight[i / kVectors * softmaxes.padded + j]);
      sums[i] = hn::MulAdd(w, hn::LoadU(d, value + i * kVectorLanes), sums[i]);
    }
  }
  HWY_UNROLL(16)
  for (size_t i = 0; i < kHeads * kVectors; ++i) {
    const auto inverse = hn::Set(d, softmaxes.inverses[head + i / kVectors]);
    hn::StoreU(hn::Mul(sums[i], inverse), d, row.output + column + i * kVectorLanes);
  }
}

// All heads, as many at once as the register file holds; kWidth channels each.
template <size_t kWidth>
HWY_INLINE void weigh_all_heads(const CrossAttentionRow& row, const float* weights, const Softmaxes& softmaxes) {
  constexpr size_t kVectors = kWidth / kVectorLanes;
  constexpr size_t kSums = HWY_MAX_BYTES >= 64 ? 16 : 8;  // accumulators; AVX-512 has 32 registers
  size_t h = 0;
  if constexpr (kVectors <= kSums) {
    constexpr size_t kHeads = kSums / kVectors;
    for (; h + kHeads <= row.num_heads; h += kHeads) weigh_heads<kHeads, kVectors>(row, h, weights, softmaxes);
    for (; h < row.num_heads; ++h) weigh_heads<1, kVectors>(row, h, weights, softmaxes);
  } else {
    weigh_any_heads(row, weights, softmaxes);
  }
}

void cross_attention_body(const CrossAttentionRow& row, float* scratch) {
  const size_t length = row.source_length, heads = row.num_heads;
  const size_t padded = (length + kVirtualLanes - 1) / kVirtualLanes * kVirtualLanes;
  float* inverses = scratch + heads * padded;
  for (size_t h = 0; h < heads && length == 0; ++h) inverses[h] = 0.0f;
  if (length != 0) {
    switch (row.head_width) {
      case 32: score_heads<2>(row, padded, scratch); break;
      case 64: score_heads<4>(row, padded, scratch); break;
      default: score_any_heads(row, padded, scratch); break;
    }
    for (size_t h = 0; h < heads; ++h) close_padding(scratch + h * padded, length, padded);
    size_t h = 0;
    for (; h + 4 <= heads; h += 4) exponentiate_scores<4>(scratch + h * padded, padded, inverses + h);
    for (; h < heads; ++h) exponentiate_scores<1>(scratch + h * padded, padded, inverses + h);
  }
  const Softmaxes softmaxes = {padded, inverses};
  switch (row.head_width) {
    case 32: weigh_all_heads<32>(row, scratch, softmaxes); break;
    case 64: weigh_all_heads<64>(row, scratch, softmaxes); break;
    default: weigh_any_heads(row, scratch, softmaxes); break;
  }
  if (row.probabilities == nullptr) return;
  const size_t stride = row.probabilities_stride != 0 ? row.probabilities_stride : length;
  for (size_t h = 0; h < heads; ++h) {
    for (size_t j = 0; j < length; ++j) row.probabilities[h * stride + j] = scratch[h * padded + j] * inverses[h];
  }
}

}  // namespace dragoman::kernels::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace dragoman::kernels {

DRAGOMAN_EXPORT_TARGET(cross_attention)
HWY_EXPORT(cross_attention_body);

size_t cross_attention_scratch_bytes(size_t max_source_length, size_t num_heads) {
  // Scores and 1 / sum of every head.
  return saturating_product((max_source_length + 15) / 16 * 16 + 1, num_heads, sizeof(float));
}

void cross_attention(const CrossAttentionRow& row, float* scratch) {
  HWY_DYNAMIC_DISPATCH(cross_attention_body)(row, scratch);
}

}  // namespace dragoman::kernels
#endif  // HWY_ONCE
