// Output projection over selected vocabulary rows (a shortlist, or all), consumed at once into top-k and log-sum-exp.
// Neighbours: ops/logits calls it per hypothesis; search/ reads TopK; the allowed ids come from engine/shortlist.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>

#include "kernels/int4.h"
#include "kernels/quantize.h"

namespace dragoman::kernels {

// Largest k of logits_top_k: twice the widest beam.
inline constexpr size_t kMaxTopK = 64;

// Columns are consumed in parts of this size; parts are merged in order. Splitting a row over threads at multiples of
// it (logits_top_k_part + merge_top_k) gives the bits of logits_top_k.
inline constexpr size_t kLogitsPartColumns = 4096;

// The projection, borrowed from the model. Exactly one of `i8`, `f32`, `f16` and `i4` is set.
struct LogitsWeights {
  size_t vocabulary = 0;              // rows
  size_t width = 0;                   // columns, any number
  const int8_t* i8 = nullptr;         // [vocabulary, width]
  const float* scales = nullptr;      // [vocabulary], with i8
  const int32_t* row_sums = nullptr;  // [vocabulary], with i8: sum of each row's integers
  const float* f32 = nullptr;         // [vocabulary, width]
  const uint16_t* f16 = nullptr;      // [vocabulary, width]
  Int4Table i4 = {};                  // [vocabulary, width], width a multiple of kInt4Block
  const float* bias = nullptr;        // [vocabulary] or null
};

// One hypothesis. Exactly one of `i8` and `f32` is set; i8 needs int8 weights, f32 works with all.
struct LogitsRow {
  const int8_t* i8 = nullptr;  // [width] with `quantization`
  const float* f32 = nullptr;  // [width]
  RowQuantization quantization = {0, 1.0f};
  const int32_t* allowed = nullptr;  // ascending ids, all < vocabulary; null: every id (so an empty list is not null)
  size_t num_allowed = 0;            // with `allowed`
  const int32_t* suppressed = nullptr;  // ids that get probability 0 (unknown token, bans), any order; or null
  size_t num_suppressed = 0;
  bool sum_suppressed = false;  // suppressed ids are not chosen, but count in the sum of exponentials
  int32_t banned = -1;          // one more id that is not chosen, and counts in the sum; -1: none
  float* logits =
      nullptr;  // [num_allowed or vocabulary] by column: all logits, -infinity for NaN and what was not chosen; or null
};

// The best ids of one row, best first; equal logits in ascending order of id. NaN logits are never chosen.
struct TopK {
  // min(k, columns neither suppressed nor NaN nor -infinity); 0 with k > 0 means that the row has no usable logit.
  size_t count = 0;
  int32_t ids[kMaxTopK];
  float logits[kMaxTopK];
  float max = 0;  // log_sum_exp = max + log(sum), kept apart so that parts can be merged
  float sum = 0;
  float log_sum_exp = 0;  // over the allowed columns that are not suppressed; a token's log-probability is logit - this
};

// Logits and their top k for `num_rows` rows, into top[num_rows]; 0 <= k <= kMaxTopK. Rows with the same `allowed`
// pointer and length that stand beside each other share the reading of the weights. No row's result depends on its
// neighbours. int8 x int8: dot product exact in int32 (no 16-bit saturation), logit = fma(float(dot - zero_point *
// row_sum) * quantization.scale, scales[id], bias). f32 x int8 and f32 x f32: dot product by fma over 16 virtual lanes
// (blocks of 16 alternate between 4 accumulators), logit = fma(dot, scales[id], bias) and dot + bias; f16 and int4
// weights count as the floats they stand for. The sum of exponentials runs over chunks of 256 columns in order, each
// over 16 virtual lanes. `scratch`, 64-byte aligned, of logits_scratch_bytes() makes many int8 rows over all ids faster
// where there is a byte dot product; it may be empty.
void logits_top_k(const LogitsWeights& weights, const LogitsRow* rows, size_t num_rows, size_t k, TopK* top,
                  std::span<std::byte> scratch = {});

// 0 where it would not help.
size_t logits_scratch_bytes(size_t width, size_t max_rows);

// The columns [begin, end) of one row; `begin` a multiple of kLogitsPartColumns, `end` too or the number of columns.
struct LogitsPart {
  size_t begin = 0;
  size_t end = 0;
};
void logits_top_k_part(const LogitsWeights& weights, const LogitsRow& row, LogitsPart part, size_t k, TopK* top);

// Joins the parts of one row, in column order, into `top` (not one of `parts`).
void merge_top_k(const TopK* parts, size_t num_parts, size_t k, TopK* top);

namespace reference {
void logits_top_k(const LogitsWeights& weights, const LogitsRow* rows, size_t num_rows, size_t k, TopK* top);
}

}  // namespace dragoman::kernels
