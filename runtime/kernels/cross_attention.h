// Attention of one decoder row over the encoder rows of its sentence; runs in every layer of every decode step.
// Neighbours: ops/cross_attention calls it per hypothesis; keys and values come from one Linear in program `begin`.
#pragma once

#include <cstddef>

namespace dragoman::kernels {

struct CrossAttentionRow {
  const float* query = nullptr;   // [num_heads * head_width], already scaled by 1 / sqrt(head_width)
  const float* keys = nullptr;    // first source row's keys: [source_length, num_heads * head_width]
  const float* values = nullptr;  // first source row's values, same shape and stride
  size_t stride = 0;              // floats from one source row to the next, for keys and values
  size_t source_length = 0;       // 0 gives zeros
  size_t num_heads = 0;
  size_t head_width = 0;
  float* output = nullptr;          // [num_heads * head_width]; must not overlap the inputs
  float* probabilities = nullptr;   // [num_heads, source_length] or null: the softmax weights
  size_t probabilities_stride = 0;  // floats from head to head; 0 means source_length
};

// Bytes of scratch one call needs.
size_t cross_attention_scratch_bytes(size_t max_source_length, size_t num_heads);

// output_h = softmax(q_h . k_j) . v_h for every head. `scratch`: cross_attention_scratch_bytes(), 64-byte aligned, one
// per thread. Depends on nothing but the row. NaN among a head's scores or values, and a score of +infinity, give NaN
// in that head only. Rounding: scores are fma dot products over 16 virtual lanes (blocks of 16 channels alternate
// between 4 accumulators); weighted sums are fma chains in ascending key order, multiplied by 1 / sum at the end.
void cross_attention(const CrossAttentionRow& row, float* scratch);

namespace reference {
void cross_attention(const CrossAttentionRow& row, float* scratch);
}

}  // namespace dragoman::kernels
