// Bidirectional self-attention of one packed segment (sentence): every token sees every token of its own segment.
// Neighbours: ops/self_attention splits (segment, head) pairs over threads; its rows come from one fused QKV Linear.
#pragma once

#include <cstddef>

namespace dragoman::kernels {

// One segment and a range of heads.
struct AttentionSegment {
  const float* qkv = nullptr;  // first row of the segment: [length, >= 3 * width] as q | k | v, q already scaled
  size_t qkv_stride = 0;       // floats from row to row (3 * width for a plain fused row)
  float* output = nullptr;     // first row of the segment: [length, width]; must not overlap qkv
  size_t output_stride = 0;    // floats from row to row
  size_t length = 0;           // tokens; 0 does nothing
  size_t num_heads = 0;        // width = num_heads * head_width
  size_t head_width = 0;
  size_t head_begin = 0;  // heads [head_begin, head_end) are computed
  size_t head_end = 0;
  const float* key_bias = nullptr;       // [length], added to every score of that key; -infinity masks it; null: none
  const float* relative_bias = nullptr;  // [num_heads, 2 * max_distance + 1] or null: query i adds column
  size_t max_distance = 0;  // clamp(j - i, -max_distance, max_distance) + max_distance to its score of key j
};

// Bytes of scratch one call needs for segments up to `max_length`; grows linearly with it.
size_t attention_scratch_bytes(size_t max_length, size_t head_width);

// output[i] = softmax(q_i . k_j + key_bias_j + relative_bias) . v for every row i and head of the range (Vaswani et al.
// 2017; relative bias: Raffel et al. 2020).
// `scratch`: attention_scratch_bytes(length, head_width) bytes, 64-byte aligned, one per thread.
// A result depends on nothing but its segment and head. A row whose keys are all masked gives zeros; equal scores,
// however low, give uniform weights. NaN among a head's scores or values, and a score of +infinity, give NaN in the
// rows of that head that read them, nowhere else. Rounding: scores and weighted sums are chains of fma in ascending
// channel and key order; exp as math_inl.h, its sum over 16 virtual lanes; each output is multiplied by 1 / sum at the
// end.
void attention_segment(const AttentionSegment& segment, float* scratch);

namespace reference {
void attention_segment(const AttentionSegment& segment, float* scratch);
}

}  // namespace dragoman::kernels
