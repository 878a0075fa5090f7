// Logits consumed in chunks into top-k and log-sum-exp, on Highway. Neighbours: logits_inl.h, logits_reference.cc.
#include "kernels/logits.h"

#include <algorithm>
#include <bit>
#include <cstring>

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "kernels/logits.cc"
#include "base/buffer_size.h"
#include "hwy/foreach_target.h"  // compiles this file once per target
#include "hwy/highway.h"
#include "kernels/exp_sum_inl.h"
#include "kernels/logits_inl.h"
#include "kernels/logits_tile_inl.h"
#include "kernels/target_inl.h"

#ifndef DRAGOMAN_LOGITS_ONCE_PER_FILE
#define DRAGOMAN_LOGITS_ONCE_PER_FILE
namespace dragoman::kernels {

inline constexpr size_t kChunkColumns = 256;
inline constexpr size_t kRowsTogether = 8;
static_assert(kLogitsPartColumns % kChunkColumns == 0);

// Rearranging a chunk of weights costs as much as five rows save.
inline constexpr size_t kMinPackedRows = 8;

// max and sum of exp(x - max) so far.
struct ExpSum {
  float max = -std::numeric_limits<float>::infinity();
  float sum = 0.0f;
};

// What many rows together need, see logits_tile_inl.h.
struct PackedScratch {
  static constexpr size_t kDotRows = 8;
  PackedScratch(std::byte* block, size_t width, size_t rows)
      : dots(reinterpret_cast<int32_t*>(block)),
        weights(reinterpret_cast<int8_t*>(dots + kDotRows * kChunkColumns)),
        lifted(reinterpret_cast<uint8_t*>(weights + kChunkColumns * width)),
        sums(reinterpret_cast<ExpSum*>(lifted + rows * width)) {}
  static size_t bytes(size_t width, size_t rows) {
    if (width % 16 != 0 || rows < kMinPackedRows) return 0;
    return saturating_sum(kDotRows * kChunkColumns * sizeof(int32_t), saturating_product(kChunkColumns + rows, width),
                          rows * sizeof(ExpSum));
  }

  int32_t* dots;    // [kDotRows, kChunkColumns]
  int8_t* weights;  // [kChunkColumns, width] rearranged
  uint8_t* lifted;  // [rows, width] activations
  ExpSum* sums;     // [rows]
};

}  // namespace dragoman::kernels
#endif

HWY_BEFORE_NAMESPACE();
namespace dragoman::kernels::HWY_NAMESPACE {

DRAGOMAN_DEFINE_TARGET()

HWY_INLINE ExpSum merge(const ExpSum& a, const ExpSum& b) {
  if (b.sum == 0.0f) return a;
  if (a.sum == 0.0f) return b;
  if (a.max >= b.max) return {a.max, multiply_add_scalar(b.sum, exp_scalar(b.max - a.max), a.sum)};
  return {b.max, multiply_add_scalar(a.sum, exp_scalar(a.max - b.max), b.sum)};
}

// Keeps `top` sorted; a later id needs a strictly larger logit.
HWY_INLINE void insert(TopK* top, size_t k, float logit, int32_t id) {
  if (top->count == k && !(logit > top->logits[k - 1])) return;
  size_t at = top->count < k ? top->count++ : k - 1;
  for (; at > 0 && logit > top->logits[at - 1]; --at) {
    top->logits[at] = top->logits[at - 1];
    top->ids[at] = top->ids[at - 1];
  }
  top->logits[at] = logit;
  top->ids[at] = id;
}

HWY_INLINE int32_t column_id(const LogitsRow& row, size_t column) {
  return row.allowed != nullptr ? row.allowed[column] : static_cast<int32_t>(column);
}

// `id`, if it is among the columns [begin, begin + count), gets -infinity.
HWY_INLINE void strike(const LogitsRow& row, int32_t id, size_t begin, size_t count, float* logits) {
  size_t at = count;
  if (row.allowed == nullptr) {
    if (id >= 0 && static_cast<size_t>(id) >= begin) at = static_cast<size_t>(id) - begin;
  } else {
    const int32_t* first = row.allowed + begin;
    const int32_t* found = std::lower_bound(first, first + count, id);
    if (found != first + count && *found == id) at = static_cast<size_t>(found - first);
  }
  if (at < count) logits[at] = -std::numeric_limits<float>::infinity();
}

HWY_INLINE void strike_suppressed(const LogitsRow& row, size_t begin, size_t count, float* logits) {
  for (size_t s = 0; s < row.num_suppressed; ++s) strike(row, row.suppressed[s], begin, count, logits);
}

// Candidates of one chunk; `padded` a multiple of 16.
HWY_INLINE void select(const LogitsRow& row, size_t begin, const float* logits, size_t padded, size_t k, TopK* top) {
  const F32 d;
  for (size_t i = 0; i < padded; i += kVectorLanes) {
    const float bar = top->count == k ? top->logits[k - 1] : -std::numeric_limits<float>::infinity();
    const auto better = hn::Gt(hn::LoadU(d, logits + i), hn::Set(d, bar));
    if (hn::AllFalse(d, better)) continue;
    uint8_t bits[8] = {};
    hn::StoreMaskBits(d, better, bits);
    for (uint32_t rest = bits[0] | static_cast<uint32_t>(bits[1]) << 8; rest != 0; rest &= rest - 1) {
      const size_t j = i + static_cast<size_t>(std::countr_zero(rest));
      insert(top, k, logits[j], column_id(row, begin + j));
    }
  }
}

// `logits` [count of the chunk rounded up to 16] may change.
HWY_INLINE void consume_logits(const LogitsRow& row, LogitsPart chunk, float* logits, size_t k, TopK* top,
                               ExpSum* total) {
  const size_t count = chunk.end - chunk.begin;
  const size_t padded = (count + kVirtualLanes - 1) / kVirtualLanes * kVirtualLanes;
  if (!row.sum_suppressed) strike_suppressed(row, chunk.begin, count, logits);
  float max = max_row(logits, padded);
  if (max != -std::numeric_limits<float>::infinity()) {
    *total = merge(*total, {max, sum_exp(logits, padded, max, nullptr)});
  }
  if (row.sum_suppressed || row.banned >= 0) {
    if (row.sum_suppressed) strike_suppressed(row, chunk.begin, count, logits);
    if (row.banned >= 0) strike(row, row.banned, chunk.begin, count, logits);
    max = max_row(logits, padded);
  }
  if (row.logits != nullptr) std::memcpy(row.logits + chunk.begin, logits, count * sizeof(float));
  if (max == -std::numeric_limits<float>::infinity()) return;
  if (k != 0 && (top->count < k || max > top->logits[k - 1])) select(row, chunk.begin, logits, padded, k, top);
}

HWY_INLINE void clear(TopK* top, size_t num_rows) {
  for (size_t r = 0; r < num_rows; ++r) {
    top[r].count = 0;
    top[r].max = -std::numeric_limits<float>::infinity();
    top[r].sum = 0.0f;
  }
}

// Calls consume(chunk, sums) for each chunk of the columns; `sums` [num_rows] are joined part by part.
template <class Consume>
HWY_INLINE void consume_parts(LogitsPart columns, size_t num_rows, ExpSum* sums, TopK* top, const Consume& consume) {
  clear(top, num_rows);
  for (size_t part = columns.begin; part < columns.end; part += kLogitsPartColumns) {
    std::fill(sums, sums + num_rows, ExpSum());
    const size_t part_end = std::min(part + kLogitsPartColumns, columns.end);
    for (size_t begin = part; begin < part_end; begin += kChunkColumns) {
      consume(LogitsPart{begin, std::min(begin + kChunkColumns, part_end)}, sums);
    }
    for (size_t r = 0; r < num_rows; ++r) {
      const ExpSum joined = merge({top[r].max, top[r].sum}, sums[r]);
      top[r].max = joined.max;
      top[r].sum = joined.sum;
    }
  }
  for (size_t r = 0; r < num_rows; ++r) top[r].log_sum_exp = log_sum(top[r].max, top[r].sum);
}

// Up to kRowsTogether rows over the same columns: each chunk of weights is read once from memory, then from cache.
HWY_INLINE void consume_columns(const LogitsWeights& weights, const LogitsRow* rows, size_t num_rows,
                                LogitsPart columns, size_t k, TopK* top) {
  ExpSum sums[kRowsTogether];
  consume_parts(columns, num_rows, sums, top, [&](LogitsPart chunk, ExpSum* totals) HWY_ATTR {
    HWY_ALIGN float logits[kRowsTogether * kChunkColumns];
    column_logits(weights, rows, num_rows, chunk.begin, chunk.end - chunk.begin, logits, kChunkColumns);
    for (size_t r = 0; r < num_rows; ++r) {
      consume_logits(rows[r], chunk, logits + r * kChunkColumns, k, top + r, totals + r);
    }
  });
}

#if DRAGOMAN_HAS_BYTE_DOT

// A chunk of weights, rearranged.
HWY_INLINE void pack_chunk(const LogitsWeights& weights, LogitsPart chunk, int8_t* packed) {
  for (size_t begin = chunk.begin; begin < chunk.end; begin += kTileColumns) {
    const int8_t* rows[kTileColumns];
    for (size_t c = 0; c < kTileColumns; ++c) {
      rows[c] = weights.i8 + std::min(begin + c, weights.vocabulary - 1) * weights.width;
    }
    pack_columns(rows, weights.width, packed + (begin - chunk.begin) * weights.width);
  }
}

// The integer sums of up to kTileRows rows with a rearranged chunk: dots[kTileRows, kChunkColumns].
HWY_INLINE void chunk_dots(const uint8_t* lifted, size_t num_rows, const LogitsWeights& weights, LogitsPart chunk,
                           const PackedScratch& s) {
  const size_t width = weights.width;
  const uint8_t* rows[kTileRows];
  for (size_t r = 0; r < kTileRows; ++r) rows[r] = lifted + std::min(r, num_rows - 1) * width;
  for (size_t c = 0; c < chunk.end - chunk.begin; c += 2 * kTileColumns) {
    dot_tile(rows, s.weights + c * width, width, s.dots + c, kChunkColumns);
  }
}

HWY_INLINE void chunk_logits(const LogitsWeights& weights, const LogitsRow& row, LogitsPart chunk, const int32_t* dots,
                             float* logits) {
  HWY_ALIGN int32_t ids[kVirtualLanes];
  for (size_t begin = chunk.begin; begin < chunk.end; begin += kVirtualLanes) {
    const size_t here = std::min(chunk.end - begin, kVirtualLanes);
    ids[0] = static_cast<int32_t>(begin);
    for (size_t i = 1; i < kVirtualLanes && here < kVirtualLanes; ++i) {
      ids[i] = static_cast<int32_t>(begin + std::min(i, here - 1));
    }
    const size_t c = begin - chunk.begin;
    scale_integers(weights, row, {ids, here == kVirtualLanes}, dots + c, logits + c);
    close_logits(here, logits + c);
  }
}

// Many int8 rows over the whole vocabulary.
HWY_INLINE void consume_packed(const LogitsWeights& weights, const LogitsRow* rows, size_t num_rows, size_t k,
                               TopK* top, const PackedScratch& s) {
  for (size_t r = 0; r < num_rows; ++r) lift_row(rows[r].i8, weights.width, s.lifted + r * weights.width);
  consume_parts({0, weights.vocabulary}, num_rows, s.sums, top, [&](LogitsPart chunk, ExpSum* totals) HWY_ATTR {
    pack_chunk(weights, chunk, s.weights);
    HWY_ALIGN float logits[kChunkColumns];
    for (size_t r = 0; r < num_rows; ++r) {
      const size_t in_tile = r % kTileRows;
      if (in_tile == 0) {
        chunk_dots(s.lifted + r * weights.width, std::min(num_rows - r, kTileRows), weights, chunk, s);
      }
      chunk_logits(weights, rows[r], chunk, s.dots + in_tile * kChunkColumns, logits);
      consume_logits(rows[r], chunk, logits, k, top + r, totals + r);
    }
  });
}

HWY_INLINE bool packs(const LogitsWeights& weights, const LogitsRow& row) {
  return weights.i8 != nullptr && row.i8 != nullptr && row.allowed == nullptr;
}

// Rows from `rows` on, at most as many as the scratch serves, that can be taken together; 0 when they are too few.
HWY_INLINE size_t packed_rows(const LogitsWeights& weights, const LogitsRow* rows, size_t num_rows,
                              std::span<std::byte> scratch) {
  size_t n = 0;
  while (n < num_rows && packs(weights, rows[n])) ++n;
  while (n >= kMinPackedRows && PackedScratch::bytes(weights.width, n) > scratch.size()) --n;
  return PackedScratch::bytes(weights.width, n) > 0 ? n : 0;
}

#endif  // DRAGOMAN_HAS_BYTE_DOT

HWY_INLINE size_t num_columns(const LogitsWeights& weights, const LogitsRow& row) {
  return row.allowed != nullptr ? row.num_allowed : weights.vocabulary;
}

void logits_top_k_body(const LogitsWeights& weights, const LogitsRow* rows, size_t num_rows, size_t k, TopK* top,
                       [[maybe_unused]] std::span<std::byte> scratch) {
  for (size_t r = 0; r < num_rows;) {
#if DRAGOMAN_HAS_BYTE_DOT
    if (const size_t packed = packed_rows(weights, rows + r, num_rows - r, scratch); packed > 0) {
      consume_packed(weights, rows + r, packed, k, top + r, PackedScratch(scratch.data(), weights.width, packed));
      r += packed;
      continue;
    }
#endif
    size_t n = 1;
    while (n < kRowsTogether && r + n < num_rows && rows[r + n].allowed == rows[r].allowed &&
           num_columns(weights, rows[r + n]) == num_columns(weights, rows[r])) {
      ++n;
    }
    consume_columns(weights, rows + r, n, {0, num_columns(weights, rows[r])}, k, top + r);
    r += n;
  }
}

size_t scratch_bytes_body(size_t width, size_t max_rows) {
  return DRAGOMAN_HAS_BYTE_DOT ? PackedScratch::bytes(width, max_rows) : 0;
}

void logits_top_k_part_body(const LogitsWeights& weights, const LogitsRow& row, LogitsPart part, size_t k, TopK* top) {
  consume_columns(weights, &row, 1, part, k, top);
}

void merge_top_k_body(const TopK* parts, size_t num_parts, size_t k, TopK* top) {
  ExpSum total;
  top->count = 0;
  for (size_t p = 0; p < num_parts; ++p) {
    total = merge(total, {parts[p].max, parts[p].sum});
    for (size_t i = 0; i < parts[p].count && k != 0; ++i) insert(top, k, parts[p].logits[i], parts[p].ids[i]);
  }
  top->max = total.max;
  top->sum = total.sum;
  top->log_sum_exp = log_sum(total.max, total.sum);
}

}  // namespace dragoman::kernels::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace dragoman::kernels {

DRAGOMAN_EXPORT_TARGET(logits)
HWY_EXPORT(logits_top_k_body);
HWY_EXPORT(logits_top_k_part_body);
HWY_EXPORT(scratch_bytes_body);
HWY_EXPORT(merge_top_k_body);

size_t logits_scratch_bytes(size_t width, size_t max_rows) {
  return HWY_DYNAMIC_DISPATCH(scratch_bytes_body)(width, max_rows);
}

void logits_top_k(const LogitsWeights& weights, const LogitsRow* rows, size_t num_rows, size_t k, TopK* top,
                  std::span<std::byte> scratch) {
  HWY_DYNAMIC_DISPATCH(logits_top_k_body)(weights, rows, num_rows, std::min(k, kMaxTopK), top, scratch);
}

void logits_top_k_part(const LogitsWeights& weights, const LogitsRow& row, LogitsPart part, size_t k, TopK* top) {
  HWY_DYNAMIC_DISPATCH(logits_top_k_part_body)(weights, row, part, std::min(k, kMaxTopK), top);
}

void merge_top_k(const TopK* parts, size_t num_parts, size_t k, TopK* top) {
  HWY_DYNAMIC_DISPATCH(merge_top_k_body)(parts, num_parts, std::min(k, kMaxTopK), top);
}

}  // namespace dragoman::kernels
#endif  // HWY_ONCE
