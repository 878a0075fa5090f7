// Causal attention of one decoder row over the cached keys and values of its hypothesis; runs in every layer of every
// decode step.
// Neighbours: ops/cached_self_attention calls it per hypothesis; kernels/cache_rows wrote the rows it reads.
#pragma once

#include <cstddef>
#include <cstdint>

#include "kernels/cache_rows.h"

namespace dragoman::kernels {

struct CachedAttentionRow {
  CacheType type = CacheType::kF32;
  const std::byte* cache = nullptr;    // [positions, slots] rows of store_cache_row(), 16-byte aligned
  size_t slots = 0;                    // rows of one position
  size_t row_bytes = 0;                // cache_row_bytes(type, key_value_heads * head_width)
  const int32_t* ancestors = nullptr;  // [length] slot that holds each position of this hypothesis, all < slots
  size_t length = 0;                   // positions so far, this row's own included; 0 gives zeros
  const float* query = nullptr;        // [num_heads * head_width], already scaled
  size_t num_heads = 0;
  size_t key_value_heads = 0;  // divides num_heads; query head h reads key-value head h / (num_heads / key_value_heads)
  size_t head_width = 0;
  const float* relative_bias = nullptr;  // [num_heads, relative_columns] or null
  size_t relative_columns = 0;           // n + 1 >= 1: position j gets column max(j - (length - 1), -n) + n of its head
  float* output = nullptr;               // [num_heads * head_width]; must not overlap the inputs
};

// Bytes of scratch one call needs.
size_t cached_attention_scratch_bytes(size_t max_length, size_t num_heads);

// output_h = softmax_j(q_h . k_j + bias_hj) . v for every head, over positions 0 to length - 1. `scratch`:
// cached_attention_scratch_bytes(), 64-byte aligned, one per thread. Depends on nothing but the row; a row whose every
// score is -infinity gives zeros; NaN as in cross_attention.h (in int8 rows, kSpoiledScale spoils all heads). Rounding:
// scores are fma dot products over 16 virtual lanes (blocks of 16 channels alternate between 4 accumulators) of the
// stored elements as floats, times the keys' scale for int8, plus the bias; int8 weights take the values' scale after
// their sum; weighted sums are fma chains in ascending position, multiplied by 1 / sum at the end.
void cached_attention(const CachedAttentionRow& row, float* scratch);

namespace reference {
void cached_attention(const CachedAttentionRow& row, float* scratch);
}

}  // namespace dragoman::kernels
